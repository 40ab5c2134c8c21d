import { useSearch } from '@tanstack/react-router'
import { Card } from '../../../ui/card.tsx'
import { PageHeader } from '../../../ui/page-header.tsx'
import type { Data } from '../../lib/api.ts'
import { money } from '../../lib/format.ts'
import { useRead } from '../../lib/read.ts'
import { amount, type Columns } from '../../ui/columns.tsx'
import { List } from '../../ui/list.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { MonthChoice } from './month-choice.tsx'
import type { FinanceSearch } from './search.ts'
import { Until } from './until.tsx'

/** The double-entry journal of a month. */
export function JournalPage() {
  const { month }: FinanceSearch = useSearch({ strict: false })
  const journal = useRead('GET /finance/journal', { query: { month } }, { keep: true })
  return (
    <>
      <PageHeader
        title="Journal"
        about="Double-entry bookkeeping by UTC day and currency. Each day's debits equal its credits."
        action={journal.data && <MonthChoice month={month ?? journal.data.month} />}
      />
      <Loaded query={journal} what="journal" bars={['h-64']}>
        {(data) => (
          <>
            <List
              title="Entries"
              about="Amounts in the CSV file are in minor units, such as cents, and of USDC in millionths. Accounting software can import it as it is."
              rows={data.lines}
              columns={columns}
              keyOf={(line) => `${line.day} ${line.currency} ${line.account}`}
              csv={`journal-${data.month}.csv`}
              empty={{
                title: `No entries in ${data.month}`,
                about: 'Payments and burned credits appear here by day.',
              }}
            />
            <Card title="Accounts">
              <dl className="grid gap-x-8 gap-y-3 sm:grid-cols-2">
                {data.accounts.map(({ account, meaning }) => (
                  <div key={account}>
                    <dt className="font-strong">{account}</dt>
                    <dd className="text-pretty text-muted">{meaning}</dd>
                  </div>
                ))}
              </dl>
            </Card>
            <Until until={data.until} />
          </>
        )}
      </Loaded>
    </>
  )
}

type Entry = Data<'GET /finance/journal'>['lines'][number]
const currencyOf = ({ currency }: Entry) => currency
const orNothing = (side: 'debit' | 'credit') => ({
  csv: side,
  cell: (entry: Entry) => (entry[side] === 0 ? '' : money(entry[side], entry.currency)),
})
const columns: Columns<Entry> = [
  { head: 'Day (UTC)', look: 'line', value: ({ day }) => day, csv: 'day' },
  { head: 'Currency', value: currencyOf, cell: ({ currency }) => currency.toUpperCase(), csv: 'currency' },
  { head: 'Account', look: 'rest', value: ({ account }) => account, csv: 'account' },
  amount('Debit', ({ debit }) => debit, currencyOf, orNothing('debit')),
  amount('Credit', ({ credit }) => credit, currencyOf, orNothing('credit')),
]
