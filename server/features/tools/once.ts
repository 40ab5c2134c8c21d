import { sql } from 'kysely'
import type { Deps } from '../../deps.ts'
import { AppError } from '../../http/errors.ts'
import { digest } from '../metering/idempotency.ts'
import type { BodyAnswer } from './define-tool.ts'

/** Larger answers are not kept: a retry asks the upstream again, with the same key. */
const MOST_KEPT_BYTES = 256 * 1024
const PURPOSE = 'kept_answers.answer'

interface OnceCall {
  accountId: number
  idempotencyKey: string
  requestHash: string
  /** How long the work may take; then the key of a call whose server died is free again. */
  seconds: number
  isCharged: (answer: BodyAnswer) => boolean
}

/**
 * The first answer of a call that is not repeatable: from `work`, or, for a key that was answered in the last 24 hours, the one that
 * is kept. An answer that is not charged does not use up its key. Throws conflict while another call with the key is under way,
 * idempotency_mismatch for another request, and what `work` throws.
 */
export async function once(
  { db, secrets }: Pick<Deps, 'db' | 'secrets'>,
  { accountId, idempotencyKey, requestHash, seconds, isCharged }: OnceCall,
  work: () => Promise<BodyAnswer>,
): Promise<BodyAnswer> {
  const key = digest(idempotencyKey)
  const context = `${accountId}/${key}`
  const { rows } = await sql<{ mine: boolean; request_hash: string; answer: Buffer | null }>`
    with claimed as (
      insert into kept_answers (account_id, key, request_hash, claimed_until)
      values (${accountId}, ${key}::uuid, ${requestHash}, app_now() + make_interval(secs => ${seconds}))
      on conflict (account_id, key) do update
        set request_hash = excluded.request_hash, at = excluded.at, claimed_until = excluded.claimed_until, answer = null
        where kept_answers.at <= app_now() - interval '24 hours'
          or kept_answers.answer is null and kept_answers.claimed_until <= app_now()
      returning true)
    select true as mine, '' as request_hash, null::bytea as answer from claimed
    union all
    select false, request_hash, answer from kept_answers
    where account_id = ${accountId} and key = ${key}::uuid and not exists (select from claimed)`.execute(db.kysely)
  const [found] = rows
  if (!found) throw underWay()
  if (!found.mine) {
    if (found.request_hash !== requestHash) throw new AppError('idempotency_mismatch')
    if (!found.answer) throw underWay()
    return read(secrets.decrypt(PURPOSE, found.answer, context))
  }
  const own = () => db.kysely.updateTable('kept_answers').where('account_id', '=', accountId).where('key', '=', key)
  const forget = () =>
    db.kysely.deleteFrom('kept_answers').where('account_id', '=', accountId).where('key', '=', key).execute()
  let answer: BodyAnswer
  try {
    answer = await work()
  } catch (error) {
    await forget().catch(() => {})
    throw error
  }
  if (!('body' in answer) || answer.body.length > MOST_KEPT_BYTES || !isCharged(answer)) await forget()
  else
    await own()
      .set({ answer: secrets.encrypt(PURPOSE, write(answer), context) })
      .execute()
  return answer
}

const underWay = (): AppError =>
  new AppError('conflict', 'A call with this Idempotency-Key is still under way. Try again.')

const write = (answer: Extract<BodyAnswer, { body: Buffer }>): string =>
  JSON.stringify({ ...answer, body: answer.body.toString('base64') })

function read(text: string): BodyAnswer {
  const kept = JSON.parse(text) as Omit<Extract<BodyAnswer, { body: Buffer }>, 'body'> & { body: string }
  return { ...kept, body: Buffer.from(kept.body, 'base64') }
}

/** Deletes answers and receipts of streams that nobody can ask for any more. Returns how many. */
export async function forgetAnswers({ kysely }: Deps['db']): Promise<number> {
  const answers = await kysely
    .deleteFrom('kept_answers')
    .where('at', '<=', sql<Date>`app_now() - interval '24 hours'`)
    .executeTakeFirst()
  const receipts = await kysely
    .deleteFrom('stream_receipts')
    .where('at', '<=', sql<Date>`app_now() - interval '400 days'`)
    .executeTakeFirst()
  return Number(answers.numDeletedRows) + Number(receipts.numDeletedRows)
}
