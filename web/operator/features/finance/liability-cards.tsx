import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { DateField } from '../../../ui/form/date-field.tsx'
import { QueryState } from '../../../ui/query-state.tsx'
import { call, type Data } from '../../lib/api.ts'
import { count, money } from '../../lib/format.ts'
import { ChartCard } from '../charts/chart-card.tsx'
import { colors } from '../charts/series.ts'
import { FinanceTable } from './finance-table.tsx'

/** What is owed in credits at the end of a UTC day. */
export function LiabilityCards({ day }: { day?: string | undefined }) {
  const navigate = useNavigate()
  const liability = useQuery({
    queryKey: ['operator', 'finance', 'liability', day],
    queryFn: ({ signal }) => call('GET /finance/liability', { signal, query: { day } }),
    placeholderData: (before) => before,
  })
  return (
    <>
      <div className="flex flex-wrap items-end justify-between gap-4 pt-2">
        <h2 className="font-strong">Credit liability on a date</h2>
        <DateField
          label="Day (UTC)"
          className="w-44"
          value={day ?? liability.data?.day ?? ''}
          onChange={(next) =>
            navigate({
              to: '.',
              search: (search: Record<string, unknown>) => ({ ...search, day: next || undefined }),
              replace: true,
            })
          }
        />
      </div>
      <QueryState
        query={liability}
        loading="Loading the liability"
        bars={['h-40', 'h-64']}
        failed="The liability could not be loaded."
      />
      {liability.data && <Owed liability={liability.data} />}
    </>
  )
}

function Owed({ liability: { day, rows, prepaid, days } }: { liability: Data<'GET /finance/liability'> }) {
  const currencies = [...new Set(days.map(({ currency }) => currency))]
  const totals = currencies.map(
    (currency) =>
      `${money(
        rows.filter((row) => row.currency === currency).reduce((sum, { cents }) => sum + cents, 0),
        currency,
      )} in total.`,
  )
  const later = prepaid.map(({ currency, cents }) => money(cents, currency)).join(', ')
  return (
    <>
      <FinanceTable
        title={`Credit liability at the end of ${day} (UTC)`}
        about={`${totals.join(' ')} What was paid for credits, minus what burned credits have earned. Free and promotional credits carry no liability.${
          later ? ` Also paid in advance, for months that are not granted yet: ${later}.` : ''
        }`}
        heads={['From', 'Currency', 'Credits', 'Liability']}
        csvHeads={['source', 'currency', 'credits', 'liability']}
        names={2}
        rows={rows.map((row) => ({
          key: `${row.currency} ${row.source}`,
          shown: [
            row.label,
            row.currency ? row.currency.toUpperCase() : 'None',
            count(row.credits),
            row.currency ? money(row.cents, row.currency) : 'None',
          ],
          raw: [row.label, row.currency, row.credits, row.cents],
        }))}
        fileName={`credits-liability-${day}.csv`}
        empty={{ title: `No credits at the end of ${day}`, about: 'Outstanding credits appear here.' }}
      />
      {currencies.map((currency) => {
        const own = days.filter((row) => row.currency === currency)
        return (
          <ChartCard
            key={currency}
            title={`Liability by day, ${currency.toUpperCase()}`}
            about={`At the end of each of the 90 days (UTC) up to ${day}.`}
            look="lines"
            head="Day (UTC)"
            points={own.map((row) => ({ shown: row.day.slice(5), raw: row.day }))}
            series={[{ name: 'Liability', color: colors.main, values: own.map(({ cents }) => cents) }]}
            format={(cents) => money(cents, currency)}
            fileName={`credits-liability-by-day-${currency}.csv`}
            empty={{ title: 'No liability in these 90 days', about: 'Paid credits appear here.' }}
          />
        )
      })}
    </>
  )
}
