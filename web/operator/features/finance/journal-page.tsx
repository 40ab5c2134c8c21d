import { useQuery } from '@tanstack/react-query'
import { Card } from '../../../ui/card.tsx'
import { PageHeader } from '../../../ui/page-header.tsx'
import { QueryState } from '../../../ui/query-state.tsx'
import { call } from '../../lib/api.ts'
import { money } from '../../lib/format.ts'
import { FinanceTable } from './finance-table.tsx'
import { MonthChoice } from './month-choice.tsx'
import { Until } from './until.tsx'

/** The double-entry journal of a month. */
export function JournalPage({ month }: { month?: string | undefined }) {
  const journal = useQuery({
    queryKey: ['operator', 'finance', 'journal', month],
    queryFn: ({ signal }) => call('GET /finance/journal', { signal, query: { month } }),
    placeholderData: (before) => before,
  })
  const { data } = journal
  return (
    <>
      <PageHeader
        title="Journal"
        about="Double-entry bookkeeping by UTC day and currency. Each day's debits equal its credits."
        action={data && <MonthChoice month={month ?? data.month} />}
      />
      <QueryState
        query={journal}
        loading="Loading the journal"
        bars={['h-64']}
        failed="The journal could not be loaded."
      />
      {data && (
        <>
          <FinanceTable
            title="Entries"
            about="Amounts in the CSV file are in minor units, such as cents. Accounting software can import it as it is."
            heads={['Day (UTC)', 'Currency', 'Account', 'Debit', 'Credit']}
            csvHeads={['day', 'currency', 'account', 'debit', 'credit']}
            names={3}
            rows={data.lines.map((line) => ({
              key: `${line.day} ${line.currency} ${line.account}`,
              shown: [
                line.day,
                line.currency.toUpperCase(),
                line.account,
                line.debit === 0 ? '' : money(line.debit, line.currency),
                line.credit === 0 ? '' : money(line.credit, line.currency),
              ],
              raw: [line.day, line.currency, line.account, line.debit, line.credit],
            }))}
            fileName={`journal-${data.month}.csv`}
            empty={{ title: `No entries in ${data.month}`, about: 'Payments and burned credits appear here by day.' }}
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
    </>
  )
}
