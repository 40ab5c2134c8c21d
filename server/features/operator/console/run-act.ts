import { sql } from 'kysely'
import { formatMoney } from '#contract/currency.ts'
import type { Queryable } from '../../../db/database.ts'
import { AppError } from '../../../http/errors.ts'
import { DEFAULT_CURRENCY } from '../../shop/shop.ts'
import type { OperatorContext } from './context.ts'

/** How the operators' log names a person with a shell on the machine. */
export const COMMAND_LINE = 'command line'
export const NO_REASON = 'From the command line, without a reason'

export interface Act {
  /** Chosen by the client: a repeated request is one act. */
  act_id: string
  reason: string
  action: string
  account?: { publicId: string; name: string }
  target?: string
  /** Counted against the operator's limit of the day, unless they are an owner. */
  credits?: number
  cents?: number
}

/** What changed, for the log. */
export interface Change {
  before?: Record<string, unknown>
  after?: Record<string, unknown>
}

/** Runs a transaction; an act that asks the payment provider has its own way (transactInLease). */
export type Transact = <T>(run: (tx: Queryable) => Promise<T>) => Promise<T>

/**
 * Runs an act once, in one transaction with its entry in the operators' log. A repeated `act_id` changes nothing and returns
 * false. Throws conflict when that id was used for something else or with other values, and forbidden beyond the limit of a day.
 */
export async function runAct(
  ctx: OperatorContext,
  act: Act,
  work: (tx: Queryable) => Promise<Change>,
  transact: Transact = (run) => ctx.deps.db.kysely.transaction().execute(run),
): Promise<boolean> {
  return transact(async (tx) => {
    // Two requests of one person wait for each other, because limits are sums; and two people's with one id.
    await sql`select pg_advisory_xact_lock(hashtext('operator'), ${ctx.operator.id}::int),
      pg_advisory_xact_lock(hashtextextended(${`act ${act.act_id.toLowerCase()}`}, 0))`.execute(tx)
    const earlier = await tx
      .selectFrom('operator_log')
      .select(['operator', 'action', 'account_id', 'target', 'credits', 'cents', 'input_mac'])
      .where('act_id', '=', act.act_id)
      .executeTakeFirst()
    if (earlier) {
      const same =
        earlier.operator === ctx.operator.email &&
        earlier.action === act.action &&
        earlier.account_id === (act.account?.publicId ?? null) &&
        earlier.target === (act.target ?? null) &&
        earlier.credits === (act.credits ?? 0) &&
        earlier.cents === (act.cents ?? 0)
      if (!same) throw new AppError('conflict', 'This act_id was already used for another action.')
      // Null: it was done by the release before.
      if (earlier.input_mac && !ctx.deps.secrets.isMac('operator act', inputOf(ctx, act), earlier.input_mac))
        throw new AppError(
          'conflict',
          'This form was already sent with other values, and they were applied. Reload the page to see them.',
        )
      return false
    }
    await requireSameRole(tx, ctx)
    await checkLimits(tx, ctx, act)
    const input_mac = ctx.deps.secrets.mac('operator act', inputOf(ctx, act))
    await logAct(tx, ctx.operator.email, { ...act, input_mac }, await work(tx))
    return true
  })
}

/** A form may hold a secret of few characters, and the log outlives it: only an HMAC is stored, of no use for another act. */
const inputOf = (ctx: OperatorContext, { act_id }: Act): string => `${act_id.toLowerCase()} ${ctx.input}`

/** After a wait: an operator may have lost the role on which they were let in. Throws forbidden. */
export async function requireSameRole(tx: Queryable, { operator: { id, role } }: OperatorContext): Promise<void> {
  const now = await tx.selectFrom('operators').select('role').where('id', '=', id).executeTakeFirst()
  if (now?.role !== role)
    throw new AppError('forbidden', 'Your role was changed meanwhile, so nothing was done. Reload the page.')
}

/** Appends to the operators' log, in the transaction of the act itself. */
export async function logAct(
  tx: Queryable,
  operator: string,
  {
    act_id,
    reason,
    action,
    account,
    target,
    credits = 0,
    cents = 0,
    input_mac,
  }: Omit<Act, 'act_id'> & { act_id?: string; input_mac?: Buffer },
  { before, after }: Change,
): Promise<void> {
  await tx
    .insertInto('operator_log')
    .values({
      operator,
      action,
      reason,
      credits,
      cents,
      ...(act_id && { act_id }),
      ...(input_mac && { input_mac }),
      account_id: account?.publicId ?? null,
      account_name: account?.name ?? null,
      target: target ?? null,
      before: before ? JSON.stringify(before) : null,
      after: after ? JSON.stringify(after) : null,
    })
    .execute()
}

/** An act of the command line that concerns no customer, in one transaction with its entry in the operators' log. */
export const runFromCommandLine = <T>(
  db: Queryable,
  { reason, ...act }: { action: string; target?: string; reason?: string | undefined },
  work: (tx: Queryable) => Promise<T>,
  afterOf: (result: T) => Record<string, unknown> = () => ({}),
): Promise<T> =>
  db.transaction().execute(async (tx) => {
    const result = await work(tx)
    await logAct(tx, COMMAND_LINE, { ...act, reason: reason?.trim() || NO_REASON }, { after: afterOf(result) })
    return result
  })

/** The money of a refund that failed went nowhere: it does not count. Money counts by the currency of its invoice. */
async function checkLimits(tx: Queryable, { operator, deps }: OperatorContext, act: Act): Promise<void> {
  if (operator.role === 'owner' || !(act.credits || act.cents)) return
  const { rows } = await sql<{ credits: number; cents: number; currency: string }>`
    with own as (select coalesce((select currency from invoices where id = ${act.target ?? null}), ${DEFAULT_CURRENCY}) as currency)
    select coalesce(sum(l.credits), 0)::bigint as credits, (select currency from own) as currency,
      coalesce(sum(l.cents) filter (where r.state is distinct from 'failed'
        and coalesce(i.currency, ${DEFAULT_CURRENCY}) = (select currency from own)), 0)::bigint as cents
    from operator_log l left join refunds r using (act_id) left join invoices i on i.id = l.target
    where l.operator = ${operator.email} and l.at >= date_trunc('day', app_now() at time zone 'UTC') at time zone 'UTC'`.execute(
    tx,
  )
  const { credits, cents, currency } = rows[0]!
  const { OPERATOR_DAILY_CREDITS, OPERATOR_DAILY_REFUND_CENTS } = deps.config
  const over = (limit: string) => new AppError('forbidden', `${limit} Ask an owner to do this.`)
  if (act.credits && credits + act.credits > OPERATOR_DAILY_CREDITS)
    throw over(
      `You can grant and take back ${OPERATOR_DAILY_CREDITS} credits per day (UTC), and have used ${credits} today.`,
    )
  const shown = (amount: number) => formatMoney(amount, currency, true)
  if (act.cents && cents + act.cents > OPERATOR_DAILY_REFUND_CENTS)
    throw over(
      `You can refund ${shown(OPERATOR_DAILY_REFUND_CENTS)} per day (UTC) in this currency, and have used ${shown(cents)} today.`,
    )
}
