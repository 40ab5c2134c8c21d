import { sql } from 'kysely'
import type { z } from 'zod'
import type { CustomerFilter, customerTotals } from '#contract/operator/customers.ts'
import type { Queryable } from '../../../db/database.ts'
import { findMatching, paidSince } from './list-customers.ts'

type Totals = z.input<typeof customerTotals>

/** So many are counted and added up; of more, only that there are more is said. */
const MOST_TOTALED = 10_000

/** How many customers match, and their sums: by keys of rows that are sums already. Beyond 10,000, only that there are more. */
export async function totalCustomers(
  db: Queryable,
  filter: CustomerFilter,
  { withMoney }: { withMoney: boolean },
): Promise<Totals> {
  const ids = await findMatching(db, filter, null, MOST_TOTALED + 1)
  if (ids.length > MOST_TOTALED) return { customers: null, balance: null, paid_30_days: null }
  const { rows } = await sql<Pick<Totals, 'balance' | 'paid_30_days'>>`
    select (select coalesce(sum(balance) filter (where not unlimited), 0)::bigint from metering.credit_accounts
        where account_id = any(${ids})) as balance,
      ${withMoney ? paidSince(sql`i.account_id = any(${ids})`) : sql`null::jsonb`} as paid_30_days`.execute(db)
  return { customers: ids.length, ...rows[0]! }
}
