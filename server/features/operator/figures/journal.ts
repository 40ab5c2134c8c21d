import { sql } from 'kysely'
import type { z } from 'zod'
import { stablecoin } from '#contract/currency.ts'
import type { figuresRoutes } from '#contract/operator/figures-routes.ts'
import type { Queryable } from '../../../db/database.ts'
import { type Sums, sumNames } from './day-sums.ts'
import { foldedUntil } from './folded-until.ts'
import { currentDay, monthAfter, owedOf } from './read-sums.ts'

/** The sums of a day, and the tax in what was received and went back. */
type Booked = Sums & { currency: string; tax_received: number; tax_refunded: number; tax_disputed: number }

/** Each account with its meaning and what it is debited in a day; below 0: credited. Together they are 0 for any sums. */
const accounts: { account: string; meaning: string; debit: (sums: Booked) => number }[] = [
  {
    account: 'Cash at the payment provider',
    meaning: 'Payments received, minus refunds and what disputes hold or took, with their tax. Fees are not recorded.',
    debit: ({ currency, received, refunded, disputed }) =>
      currency === stablecoin ? 0 : received - refunded - disputed,
  },
  {
    account: 'Wallet for agent payments',
    meaning:
      'Payments of agents that arrived at your own address on the chain. What you send away from it is not recorded.',
    debit: ({ currency, received }) => (currency === stablecoin ? received : 0),
  },
  {
    account: 'Prepaid, credits not granted yet',
    meaning: 'Paid for later months of a yearly plan. Moves to the credit liability as each month is granted.',
    debit: ({ prepaid, sold, ungranted }) => sold + ungranted - prepaid,
  },
  {
    account: 'Credit liability',
    meaning: 'Value of paid credits that are not burned yet.',
    debit: (sums) => -owedOf(sums),
  },
  {
    account: 'Revenue from burned credits',
    meaning: 'Value of paid credits that calls burned.',
    debit: ({ earned }) => -earned,
  },
  {
    account: 'Revenue without credits',
    meaning: 'Pay-as-you-go, plans without credits, and invoice corrections.',
    debit: ({ received, prepaid, tax_received }) => prepaid - (received - tax_received),
  },
  {
    account: 'Breakage',
    meaning: 'Value of paid credits that expired, were replaced by another plan, or were never granted.',
    debit: ({ lapsed, forfeited, ungranted }) => -lapsed - forfeited - ungranted,
  },
  {
    account: 'Refunds of burned credits',
    meaning: 'Refunds, minus the value of the unburned credits taken back with them.',
    debit: ({ refunded, returned, tax_refunded }) => refunded - tax_refunded - returned,
  },
  {
    account: 'Disputes',
    meaning: 'Money that disputes hold or took, minus the value of the unburned credits taken back.',
    debit: ({ disputed, returned_disputed, tax_disputed }) => disputed - tax_disputed - returned_disputed,
  },
  {
    account: 'Tax payable',
    meaning: 'Tax in payments, minus the tax in refunds and in what disputes hold or took.',
    debit: ({ tax_received, tax_refunded, tax_disputed }) => tax_refunded + tax_disputed - tax_received,
  },
]

const taxed = ['received', 'refunded', 'disputed']

type Answer = z.input<(typeof figuresRoutes)['getJournal']['data']>

/** The journal of a UTC month. Every day and currency sums to 0, and the liability's lines add up to the figure of that name. */
export async function readJournal(db: Queryable, given?: string): Promise<Answer> {
  const month = given ?? (await currentDay(db)).slice(0, 7)
  const { rows } = await sql<Booked & { day: string }>`
    select day::text, currency, ${sql.join(sumNames.map((name) => sql`sum(${sql.ref(name)})::bigint as ${sql.ref(name)}`))},
      ${sql.join(taxed.map((name) => sql`coalesce(sum(${sql.ref(name)}) filter (where source = 'tax'), 0)::bigint as ${sql.ref(`tax_${name}`)}`))}
    from operator_daily where day >= ${`${month}-01`}::date and day < ${`${monthAfter(month)}-01`}::date and currency <> ''
    group by day, currency order by day, currency`.execute(db)
  return {
    until: (await foldedUntil(db))?.toISOString() ?? null,
    month,
    lines: rows.flatMap(({ day, currency, ...sums }) =>
      accounts
        .map(({ account, debit }) => ({ day, currency, account, amount: debit({ currency, ...sums }) }))
        .filter(({ amount }) => amount !== 0)
        .map(({ amount, ...line }) => ({ ...line, debit: Math.max(amount, 0), credit: Math.max(-amount, 0) })),
    ),
    accounts: accounts.map(({ account, meaning }) => ({ account, meaning })),
  }
}
