import type { CustomerFilter, CustomerLine } from '#contract/operator/customers.ts'
import type { Queryable } from '../../../db/database.ts'
import { csvLine } from '../../export/csv.ts'
import { listCustomers } from './list-customers.ts'

const PAGE = 500

const columns = [
  'id',
  'name',
  'owner_email',
  'plan',
  'plan_state',
  'state',
  'balance',
  'unlimited',
  'burned_30_days',
  'paid_30_days',
  'last_call_day',
  'created_at',
] as const satisfies (keyof CustomerLine)[]

/** The customers that match as CSV (RFC 4180), as the list has them, read page by page as the reader consumes it. */
export async function* customersCsv(db: Queryable, filter: CustomerFilter): AsyncGenerator<string> {
  yield csvLine(columns)
  let before: number | undefined
  do {
    const { customers, next } = await listCustomers(db, filter, { before, limit: PAGE })
    if (customers.length > 0)
      yield customers
        .map((line) => csvLine(columns.map((name) => (name === 'paid_30_days' ? sumsOf(line) : line[name]))))
        .join('')
    before = next ?? undefined
  } while (before !== undefined)
}

/** `1900 usd`, in minor units. */
const sumsOf = ({ paid_30_days: sums }: CustomerLine): string =>
  sums.map(({ currency, cents }) => `${cents} ${currency}`).join(', ')
