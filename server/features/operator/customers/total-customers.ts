import { sql } from 'kysely'
import type { z } from 'zod'
import { type CustomerFilter, type customerTotals, mostTotaled } from '#contract/operator/customers.ts'
import type { Queryable } from '../../../db/database.ts'
import { findMatching, paidSince } from './list-customers.ts'

type Totals = z.input<typeof customerTotals>

/** How many customers match, and their sums: by keys of rows that are sums already. Beyond 10,000, only that there are more. */
export async function totalCustomers(
  db: Queryable,
  filter: CustomerFilter,
  { withMoney }: { withMoney: boolean },
): Promise<Totals> {
  const ids = await findMatching(db, filter, null, mostTotaled + 1)
  if (ids.length > mostTotaled) return { customers: null, balance: null, paid_30_days: null }
  const { rows } = await sql<Pick<Totals, 'balance' | 'paid_30_days'>>`
    select (select coalesce(sum(balance) filter (where not unlimited), 0)::bigint from metering.credit_accounts
        where account_id = any(${ids})) as balance,
      ${withMoney ? paidSince(sql`i.account_id = any(${ids})`) : sql`null::jsonb`} as paid_30_days`.execute(db)
  return { customers: ids.length, ...rows[0]! }
}
