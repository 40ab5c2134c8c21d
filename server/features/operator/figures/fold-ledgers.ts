import { sql } from 'kysely'
import { stablecoin } from '#contract/currency.ts'
import { allBucketIds, enterBucketNumber } from '../../../db/buckets.ts'
import type { Database, Queryable } from '../../../db/database.ts'
import { closedUntil } from './closed-until.ts'
import { DaySums } from './day-sums.ts'
import { foldedUntil } from './folded-until.ts'
import { burn, moneyOfMonth, takeBack } from './grant-money.ts'
import { keyOf, loadPaidGrants, savePaidGrants } from './paid-grants.ts'
import { readCreditLines, type Window } from './read-credit-lines.ts'
import { closeMonth } from './read-sums.ts'
import { noteRecurring } from './recurring.ts'

const DAY_MS = 86_400_000

/** Where the money of credits that were taken back goes, by why. */
const releasedAs = { refund: 'returned', dispute: 'returned_disputed', none: 'forfeited' } as const

/**
 * Adds the closed part of both ledgers, of credits and of money, to the sums of their days: each line once, whatever breaks in
 * between. One instance at a time; a second one returns at once. Returns until when the sums are complete; null: there is nothing yet.
 */
export async function foldLedgers(db: Database): Promise<Date | null> {
  const until = await closedUntil(db)
  for (;;) {
    const reached = await db.kysely
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute((tx) => foldWindow(tx, until))
    if (reached === null || reached >= until) return reached
  }
}

/** One transaction for each UTC day, or the part of it that is closed. */
async function foldWindow(tx: Queryable, closed: Date): Promise<Date | null> {
  const { rows: lock } = await sql<{ mine: boolean }>`
    select pg_try_advisory_xact_lock(hashtext('operator_folds')) as mine`.execute(tx)
  if (!lock[0]?.mine) return null
  const buckets = await allBucketIds(tx)
  const from = (await foldedUntil(tx)) ?? (await firstLine(tx, buckets))
  if (from === null || from >= closed) return from
  const midnight = Math.floor(from.getTime() / DAY_MS + 1) * DAY_MS
  const window = { from, until: new Date(Math.min(midnight, closed.getTime())) }
  const sums = new DaySums()
  await addMoney(tx, window, sums)
  await addAgentPayments(tx, window, sums)
  for (const bucket of buckets) {
    await enterBucketNumber(tx, bucket)
    await addCredits(tx, bucket, window, sums)
    await addUngranted(tx, bucket, window, sums)
  }
  const day = from.toISOString().slice(0, 10)
  await sums.write(tx, day)
  if (window.until.getTime() === midnight) await noteRecurring(tx, day)
  const next = window.until.toISOString()
  if (/-01T00:00:00.000Z$/.test(next)) await closeMonth(tx, next.slice(0, 10))
  await tx
    .insertInto('operator_folds')
    .values({ name: 'ledgers', until: window.until })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ until: window.until }))
    .execute()
  return window.until
}

async function firstLine(tx: Queryable, buckets: number[]): Promise<Date | null> {
  const times: number[] = []
  for (const bucket of buckets) {
    await enterBucketNumber(tx, bucket)
    const { rows } = await sql<{ at: Date | null }>`select min(at) as at from credit_ledger`.execute(tx)
    if (rows[0]?.at) times.push(rows[0].at.getTime())
  }
  const { rows } = await sql<{ at: Date | null }>`select min(at) as at from money_ledger`.execute(tx)
  if (rows[0]?.at) times.push(rows[0].at.getTime())
  return times.length === 0 ? null : new Date(Math.floor(Math.min(...times) / 3_600_000) * 3_600_000)
}

async function addMoney(tx: Queryable, { from, until }: Window, sums: DaySums): Promise<void> {
  const rows = await tx
    .selectFrom('money_ledger')
    .select(['source', 'currency', 'cause', 'prepays', sql<number>`sum(cents)::bigint`.as('cents')])
    .where('at', '>=', from)
    .where('at', '<', until)
    .groupBy(['source', 'currency', 'cause', 'prepays'])
    .execute()
  for (const { source, currency, cause, prepays, cents } of rows)
    if (cause === 'payment') sums.add(currency, source, { received: cents, prepaid: prepays ? cents : 0 })
    else sums.add(currency, source, cause === 'refund' ? { refunded: -cents } : { disputed: -cents })
}

/** What agents paid on a chain, apart from what the payment provider received: in a currency of its own, exact in millionths. */
async function addAgentPayments(tx: Queryable, { from, until }: Window, sums: DaySums): Promise<void> {
  const { rows } = await sql<{ source: string; received: number }>`
    select 'agent_' || product as source, sum(micro_usd)::bigint as received from agent_payments
    where state = 'settled' and decided_at >= ${from} and decided_at < ${until} group by 1`.execute(tx)
  for (const { source, received } of rows) sums.add(stablecoin, source, { received, prepaid: received })
}

async function addCredits(tx: Queryable, bucket: number, window: Window, sums: DaySums): Promise<void> {
  const { free, paid } = await readCreditLines(tx, bucket, window)
  for (const { kind, ...credits } of free) sums.add('', kind, credits)
  const grants = await loadPaidGrants(tx, paid)
  for (const step of paid) {
    const { granted, burned, repaid, expired, taken_back } = step
    const credits = { granted, burned, repaid, expired, taken_back }
    const grant = grants.get(keyOf(step))
    if (!grant) {
      sums.add('', step.kind, credits)
      continue
    }
    const released = taken_back > 0 ? takeBack(grant, taken_back) : 0
    sums.add(grant.currency, grant.source, {
      ...credits,
      sold: granted > 0 ? grant.money : 0,
      [releasedAs[step.returned_by ?? 'none']]: released,
      earned: burned + repaid > 0 ? burn(grant, burned + repaid) : 0,
      lapsed: expired > 0 ? burn(grant, expired) : 0,
    })
  }
  await savePaidGrants(tx, [...grants.values()])
}

/** Money of a year whose later months were never granted, because another plan replaced them or the year was refunded. */
async function addUngranted(tx: Queryable, bucket: number, { from, until }: Window, sums: DaySums): Promise<void> {
  const { rows: lines } = await sql<{ id: string; price_id: string; currency: string; cents: number; months: number }>`
    select l.id, l.price_id, coalesce(i.currency, p.currency) as currency, l.cents, l.months
    from invoice_lines l join plans p using (price_id) join invoices i on i.id = l.invoice_id
    join accounts a on a.id = l.account_id
    where a.bucket = ${bucket} and l.months > 1 and l.kind = 'plan' and l.period_end >= ${from} and l.period_end < ${until}`.execute(
    tx,
  )
  for (const { id, price_id, currency, cents, months } of lines) {
    const ids = Array.from({ length: months }, (_, month) => `${id}:${month}`)
    const granted = await tx
      .selectFrom('credit_grants')
      .select('source_id')
      .where('source_type', '=', 'plan_line')
      .where('source_id', 'in', ids)
      .execute()
    const had = new Set(granted.map(({ source_id }) => source_id))
    const ungranted = ids.reduce((sum, one, month) => sum + (had.has(one) ? 0 : moneyOfMonth(cents, month, months)), 0)
    sums.add(currency, `plan:${price_id}`, { ungranted })
  }
}
