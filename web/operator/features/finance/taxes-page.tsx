import { useSearch } from '@tanstack/react-router'
import { PageHeader } from '../../../ui/page-header.tsx'
import type { Data } from '../../lib/api.ts'
import { useRead } from '../../lib/read.ts'
import { amount, type Columns } from '../../ui/columns.tsx'
import { List } from '../../ui/list.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { MonthChoice } from './month-choice.tsx'
import type { FinanceSearch } from './search.ts'
import { Until } from './until.tsx'

/** The taxes of a month, for the tax return. */
export function TaxesPage() {
  const { month }: FinanceSearch = useSearch({ strict: false })
  const taxes = useRead('GET /finance/taxes', { query: { month } }, { keep: true })
  return (
    <>
      <PageHeader
        title="Taxes"
        about="Tax in the payments of a UTC month, and tax returned by refunds and disputes."
        action={taxes.data && <MonthChoice month={month ?? taxes.data.month} />}
      />
      <Loaded query={taxes} what="taxes" bars={['h-64']}>
        {(data) => (
          <>
            <List
              title="By country and reason"
              about="Collected minus returned is what the journal books as Tax payable. Net amounts are without tax. A sale with two taxes, such as of a state and a city, is in two rows. The country is unknown where the payment provider named none: in sales without an invoice, and in those from before countries were kept. Amounts in the CSV file are in minor units, such as cents."
              rows={data.rows}
              columns={columns}
              keyOf={(row) =>
                JSON.stringify([row.currency, row.country, row.state, row.label, row.percent, row.reason])
              }
              csv={`taxes-${data.month}.csv`}
              empty={{
                title: `No payments in ${data.month}`,
                about: 'Payments, refunds and disputes appear here within a minute.',
              }}
            />
            <Until until={data.until} />
          </>
        )}
      </Loaded>
    </>
  )
}

type Row = Data<'GET /finance/taxes'>['rows'][number]

/** The payment provider's reasons in words. One that is not here appears as it is. */
const reasons: Record<string, string> = {
  standard_rated: 'Standard rate',
  reduced_rated: 'Reduced rate',
  reverse_charge: 'Reverse charge',
  not_collecting: 'Not registered there',
  not_supported: 'Country not supported',
  no_location: 'Address missing',
  customer_exempt: 'Customer exempt',
  product_exempt: 'Product exempt',
  product_exempt_holiday: 'Tax holiday',
  portion_product_exempt: 'Product partly exempt',
  portion_standard_rated: 'Partly standard rate',
  portion_reduced_rated: 'Partly reduced rate',
  proportionally_rated: 'Proportional rate',
  taxable_basis_reduced: 'Reduced basis',
  not_subject_to_tax: 'Not taxable',
  zero_rated: 'Zero-rated',
}

function reasonOf({ label, reason }: Row): string {
  if (reason !== null) return reasons[reason] ?? reason
  return label === null ? 'No tax computed' : 'Own tax rate'
}

const nameOf = ({ label, percent }: Row): string =>
  label === null ? '' : percent === null ? label : `${label} (${percent}%)`
const placeOf = ({ country, state }: Row): string => [country, state].filter(Boolean).join('-')
const currencyOf = ({ currency }: Row) => currency

const columns: Columns<Row> = [
  { head: 'Currency', value: currencyOf, cell: ({ currency }) => currency.toUpperCase(), csv: 'currency' },
  {
    head: 'Country',
    value: placeOf,
    cell: (row) => placeOf(row) || <span className="text-muted">Unknown</span>,
    csv: 'country',
  },
  { head: 'Tax', look: 'line', value: nameOf, csv: 'tax' },
  { head: 'Reason', look: 'line', value: reasonOf, csv: 'reason' },
  amount('Net sold', ({ net }) => net, currencyOf, { csv: 'net' }),
  amount('Net returned', ({ net_returned }) => net_returned, currencyOf, { csv: 'net_returned' }),
  amount('Tax collected', ({ collected }) => collected, currencyOf, { csv: 'tax_collected' }),
  amount('Tax returned', ({ returned }) => returned, currencyOf, { csv: 'tax_returned' }),
  amount('Tax payable', ({ collected, returned }) => collected - returned, currencyOf, { csv: 'tax_payable' }),
]
