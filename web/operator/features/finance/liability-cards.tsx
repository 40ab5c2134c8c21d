import { useNavigate } from '@tanstack/react-router'
import { DateField } from '../../../ui/form/date-field.tsx'
import type { Data } from '../../lib/api.ts'
import { money } from '../../lib/format.ts'
import { useRead } from '../../lib/read.ts'
import { amount, type Columns, summed } from '../../ui/columns.tsx'
import { List } from '../../ui/list.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { ChartCard } from '../charts/chart-card.tsx'
import { colors } from '../charts/series.ts'

type Liability = Data<'GET /finance/liability'>
type Row = Liability['rows'][number]

/** What is owed in credits at the end of a UTC day. */
export function LiabilityCards({ day }: { day?: string | undefined }) {
  const navigate = useNavigate()
  const liability = useRead('GET /finance/liability', { query: { day } }, { keep: true })
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
              search: ((kept: object) => ({ ...kept, day: next || undefined })) as never,
              replace: true,
            })
          }
        />
      </div>
      <Loaded query={liability} what="liability" bars={['h-40', 'h-64']}>
        {(data) => <Owed liability={data} />}
      </Loaded>
    </>
  )
}

function Owed({ liability: { day, rows, prepaid, days } }: { liability: Liability }) {
  const byCurrency = [...Map.groupBy(days, ({ currency }) => currency)]
  const totals = byCurrency.map(([currency]) => {
    const cents = rows.reduce((sum, row) => sum + (row.currency === currency ? row.cents : 0), 0)
    return `${money(cents, currency)} in total.`
  })
  const later = prepaid.map(({ currency, cents }) => money(cents, currency)).join(', ')
  return (
    <>
      <List
        title={`Credit liability at the end of ${day} (UTC)`}
        about={`${totals.join(' ')} What was paid for credits, minus what burned credits have earned. Free and promotional credits carry no liability.${
          later ? ` Also paid in advance, for months that are not granted yet: ${later}.` : ''
        }`}
        rows={rows}
        columns={columns}
        keyOf={(row) => `${row.currency} ${row.source}`}
        csv={`credits-liability-${day}.csv`}
        empty={{ title: `No credits at the end of ${day}`, about: 'Outstanding credits appear here.' }}
      />
      {byCurrency.map(([currency, own]) => (
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
      ))}
    </>
  )
}

const columns: Columns<Row> = [
  { head: 'From', look: 'name', value: ({ label }) => label, csv: 'source' },
  {
    head: 'Currency',
    value: ({ currency }) => currency,
    cell: ({ currency }) => currency.toUpperCase() || 'None',
    csv: 'currency',
  },
  { ...summed('Credits', (row: Row) => row.credits), csv: 'credits' },
  amount(
    'Liability',
    ({ cents }) => cents,
    ({ currency }) => currency || 'usd',
    {
      csv: 'liability',
      cell: ({ cents, currency }) => (currency ? money(cents, currency) : 'None'),
    },
  ),
]
