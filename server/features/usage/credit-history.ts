import { sql } from 'kysely'
import type { CreditHistory } from '#contract/usage.ts'
import type { UserContext } from '../../context.ts'
import type { Queryable } from '../../db/database.ts'
import { readBalance } from '../credits/balance.ts'
import { creditChangesByDay } from '../credits/changes.ts'

/** The longest range of the charts, and what a period of billing needs. */
const DAYS = 92

/**
 * Credits left at the end of each of the last 92 UTC days, and spent on it, oldest first. The last day is today, so
 * far.
 */
export async function readCreditHistory({ actor, deps }: UserContext): Promise<CreditHistory> {
  const { accountId, bucket } = actor
  const db = deps.db.of(bucket).kysely
  // Closes expired credits, which writes; the snapshot below only reads.
  await readBalance(db, accountId)
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (tx) => {
      const [dates, spent, changes, balance] = [
        await lastDays(tx),
        await spentByDay(tx, accountId),
        await creditChangesByDay(tx, accountId, DAYS),
        await readBalance(tx, accountId),
      ]
      return { days: backwards(dates, balance.remaining, toMap(spent, 'spent'), toMap(changes, 'change')) }
    })
}

/** Backward from today's balance: add back what each day spent, and subtract what it added. */
function backwards(
  dates: string[],
  balance: number,
  spentOn: Map<string, number>,
  changeOn: Map<string, number>,
): CreditHistory['days'] {
  const days: CreditHistory['days'] = []
  let remaining = balance
  for (const date of dates.toReversed()) {
    const spent = spentOn.get(date) ?? 0
    days.unshift({ date, remaining, spent })
    remaining += spent - (changeOn.get(date) ?? 0)
  }
  return days
}

function toMap<K extends string>(rows: ({ date: string } & Record<K, number>)[], field: K): Map<string, number> {
  return new Map(rows.map((row) => [row.date, row[field]]))
}

async function lastDays(db: Queryable): Promise<string[]> {
  const { rows } = await sql<{ date: string }>`
    select to_char(day, 'YYYY-MM-DD') as date
    from (select date_trunc('day', app_now() at time zone 'UTC') as today) clock,
      generate_series(today - ${DAYS - 1}::int * interval '1 day', today, interval '1 day') day
    order by 1`.execute(db)
  return rows.map(({ date }) => date)
}

async function spentByDay(db: Queryable, accountId: number): Promise<{ date: string; spent: number }[]> {
  const { rows } = await sql<{ date: string; spent: number }>`
    select to_char(day, 'YYYY-MM-DD') as date, sum(from_credits)::bigint as spent
    from usage_by_day
    where account_id = ${accountId} and day > ((select app_now()) at time zone 'UTC')::date - ${DAYS}::int
    group by 1`.execute(db)
  return rows
}
