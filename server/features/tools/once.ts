import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Deps } from '../../deps.ts'
import { AppError } from '../../http/errors.ts'
import { unavailable } from '../../http/unavailable.ts'
import { digest } from '../metering/idempotency.ts'
import type { BodyAnswer, ToolContext } from './define-tool.ts'
import type { PreparedCall } from './prepare.ts'
import { isCharged as isChargedBy } from './price.ts'
import { SETTLING_SECONDS } from './register-tool.ts'
import { requestHash as hashOf } from './request-hash.ts'

/** Larger answers are not kept: a retry asks the upstream again, with the same key, and is charged again. */
const MOST_KEPT_BYTES = 256 * 1024
/** The same for answers beyond this of one account. A kilobyte more is counted for each, so there are never very many to add up. */
const MOST_KEPT_BYTES_OF_ACCOUNT = 64 * 1024 * 1024
const COUNTED_BYTES_OF_ROW = 1024
const PURPOSE = 'kept_answers.answer'

/**
 * Runs the tool of a call with an idempotency key, or gives the answer that is kept for the key. What is given may have been charged, so
 * it is given even where new work is refused. The meter knows the charge by the kept work, never by the client's key, which can stand
 * for more than one.
 */
export async function answerOnce(
  deps: Pick<Deps, 'db' | 'secrets'>,
  prepared: PreparedCall,
  context: ToolContext,
): Promise<BodyAnswer> {
  const { call, input } = prepared
  const { tool, timeoutMs } = call.entry
  const terms = {
    accountId: call.caller.accountId,
    idempotencyKey: prepared.answerKey!,
    requestHash: hashOf(call.entry, input),
    seconds: Math.ceil(timeoutMs / 1000) + SETTLING_SECONDS,
    isCharged: (answer: BodyAnswer) => isChargedBy(tool, answer),
  }
  const { answer, work } = await once(deps, terms, async () => {
    if (prepared.refusal) throw prepared.refusal
    return (await tool.run(input as never, context)) as BodyAnswer
  })
  if (work !== null) prepared.chargeKey = work
  return answer
}

interface OnceCall {
  accountId: number
  idempotencyKey: string
  requestHash: string
  /** How long the work may take; then the key of a call whose server died is free again. */
  seconds: number
  isCharged: (answer: BodyAnswer) => boolean
}

/** The answer, and the id of the work that it came from; null: it is not kept, so that a repeat is new work. */
interface OnceAnswer {
  answer: BodyAnswer
  work: string | null
}

/**
 * The first answer of a call: from `work`, or, for a key that was answered in the last 24 hours, the one that is kept. An answer that is
 * not charged does not use up its key, and neither does one that cannot be kept. Throws conflict while another call with the key is under way,
 * idempotency_mismatch for another request, metering_unavailable, and what `work` throws.
 */
async function once(
  { db, secrets }: Pick<Deps, 'db' | 'secrets'>,
  { accountId, idempotencyKey, requestHash, seconds, isCharged }: OnceCall,
  work: () => Promise<BodyAnswer>,
): Promise<OnceAnswer> {
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
    where account_id = ${accountId} and key = ${key}::uuid and not exists (select from claimed)`
    .execute(db.kysely)
    .catch(unavailable)
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
  if ('body' in answer && answer.body.length <= MOST_KEPT_BYTES && isCharged(answer)) {
    const kept = { answer, work: randomUUID() }
    const sealed = secrets.encrypt(PURPOSE, write(kept), context)
    const others = sql<number>`(
      select coalesce(sum(octet_length(o.answer) + ${COUNTED_BYTES_OF_ROW}::int), 0) from kept_answers o
      where o.account_id = ${accountId} and o.answer is not null)`
    const { numUpdatedRows } = await own()
      .set({ answer: sealed })
      .where(others, '<=', MOST_KEPT_BYTES_OF_ACCOUNT - sealed.length)
      .executeTakeFirst()
      .catch(unavailable)
    if (numUpdatedRows > 0n) return kept
  }
  await forget().catch(unavailable)
  return { answer, work: null }
}

const underWay = (): AppError =>
  new AppError('conflict', 'A call with this Idempotency-Key is still under way. Try again.')

type WholeAnswer = Extract<BodyAnswer, { body: Buffer }>

const write = ({ answer, work }: { answer: WholeAnswer; work: string }): string =>
  JSON.stringify({ work, ...answer, body: answer.body.toString('base64') })

function read(text: string): OnceAnswer {
  const { work, body, ...kept } = JSON.parse(text) as Omit<WholeAnswer, 'body'> & { work: string; body: string }
  return { answer: { ...kept, body: Buffer.from(body, 'base64') }, work }
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
