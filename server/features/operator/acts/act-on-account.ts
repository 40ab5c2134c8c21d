import { sql } from 'kysely'
import type { Database, Queryable } from '../../../db/database.ts'
import { AppError } from '../../../http/errors.ts'
import { dateInMail } from '../../../mail/date-in-mail.ts'
import { lockAccount } from '../../account/lock-account.ts'
import type { OperatorContext } from '../console/context.ts'
import {
  type Act,
  type Change,
  COMMAND_LINE,
  logAct,
  requireSameRole,
  runAct,
  type Transact,
} from '../console/run-act.ts'
import { type FoundAccount, findAccount } from '../find-account.ts'

/** An act on an account, in its transaction. Null: there was nothing to change, and nothing is logged. */
export type Work<C extends Change> = (tx: Queryable, account: FoundAccount) => Promise<C | null>

interface Rule {
  /** Whether it may be done while the account is being deleted, and after. Default: no. */
  whileEnding?: boolean
}

/** The account with this public id. Throws not_found. */
export async function findCustomer(db: Queryable, publicId: string): Promise<FoundAccount> {
  const found = await db
    .selectFrom('accounts as a')
    .leftJoin('account_members as m', (on) => on.onRef('m.account_id', '=', 'a.id').on('m.role', '=', 'owner'))
    .leftJoin('profiles as p', 'p.user_id', 'm.user_id')
    .select(['a.id', 'a.public_id as publicId', 'a.name', 'p.email as ownerEmail'])
    .where('a.public_id', '=', publicId)
    .executeTakeFirst()
  if (!found) throw new AppError('not_found', 'There is no such customer.')
  return { ...found, ownerEmail: found.ownerEmail ?? '' }
}

/**
 * Runs an act of the console on an account, once for each act_id. Throws not_found, conflict: the account is being deleted, or there
 * was nothing to change.
 */
export async function actOnAccount(
  ctx: OperatorContext,
  account: FoundAccount,
  act: Omit<Act, 'account'>,
  work: Work<Change>,
  rule: Rule = {},
  transact?: Transact,
): Promise<void> {
  const run = async (tx: Queryable) => {
    await lockForAct(tx, account, rule)
    await requireSameRole(tx, ctx)
    const change = await work(tx, account)
    if (!change) throw new AppError('conflict', 'Nothing was changed: the account is already in this state.')
    return change
  }
  await runAct(ctx, { ...act, account }, run, transact)
}

/** The same act from the command line, which has no limit of a day. Returns null if there was nothing to change. */
export async function actFromCommandLine<C extends Change & { credits?: number; cents?: number }>(
  db: Database,
  named: string,
  act: Omit<Act, 'account' | 'act_id'> & { act_id?: string },
  work: Work<C>,
  rule: Rule = {},
  transact: Transact = (run) => db.kysely.transaction().execute(run),
): Promise<C | null> {
  const account = await findAccount(db.kysely, named)
  return transact(async (tx) => {
    await lockForAct(tx, account, rule)
    const change = await work(tx, account)
    if (change) await logAct(tx, COMMAND_LINE, { ...act, ...amounts(change), account }, change)
    return change
  })
}

const amounts = ({ credits, cents }: { credits?: number; cents?: number }) => ({
  ...(credits !== undefined && { credits }),
  ...(cents !== undefined && { cents }),
})

async function lockForAct(tx: Queryable, account: FoundAccount, { whileEnding = false }: Rule): Promise<void> {
  await lockAccount(tx, account.id)
  if (whileEnding) return
  const { rows } = await sql<{ dueAt: Date | null; deletedAt: Date | null }>`
    select p.deletion_due_at as "dueAt", p.deleted_at as "deletedAt" from account_members m join profiles p on p.user_id = m.user_id
    where m.account_id = ${account.id} and m.role = 'owner'`.execute(tx)
  const due = rows[0]?.dueAt
  if (due)
    throw new AppError(
      'conflict',
      `This account is being deleted: its data will be erased on ${dateInMail(due.toISOString())}. The owner must first keep the account, in their settings.`,
    )
  if (!rows[0] && (await isErased(tx, account.id)))
    throw new AppError('conflict', 'This account was deleted. Only its invoices can still be refunded.')
}

/** Erased accounts keep their bookkeeping and nobody's name. Those without people, such as load tests, have another. */
async function isErased(tx: Queryable, accountId: number): Promise<boolean> {
  const { rows } = await sql<{ erased: boolean }>`
    select name = 'Deleted' and personal_of is null as erased from accounts where id = ${accountId}`.execute(tx)
  return rows[0]!.erased
}
