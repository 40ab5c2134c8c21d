import type { Data } from '../../lib/api.ts'
import { count, money } from '../../lib/format.ts'
import { ChartCard } from '../charts/chart-card.tsx'
import { colors } from '../charts/series.ts'

type Lists = Data<'GET /today/lists'>

const dayPoints = (rows: readonly { day: string }[]) => rows.map(({ day }) => ({ shown: day.slice(5), raw: day }))

/** Calls by hour; credits, receipts and sign-ups by day. */
export function TodayCharts({ lists: { hours, days, receipts, funnel } }: { lists: Lists }) {
  // Null: this role may not read money.
  const currencies = [...new Set(receipts?.map(({ currency }) => currency))]
  const cohort = funnel.reduce(
    (sum, row) => ({
      signed_up: sum.signed_up + row.signed_up,
      called: sum.called + row.called,
      paid: sum.paid + row.paid,
    }),
    { signed_up: 0, called: 0, paid: 0 },
  )
  const share = (part: number) => (cohort.signed_up === 0 ? '0%' : `${Math.round((part / cohort.signed_up) * 100)}%`)
  return (
    <div className="grid gap-5 xl:grid-cols-2">
      <ChartCard
        title="Calls in the last 24 hours"
        about="By the hour in which they ended. The current hour is not over."
        look="columns"
        head="Hour (UTC)"
        points={hours.map(({ hour }) => ({ shown: hour.slice(11, 16), raw: hour }))}
        series={[
          { name: 'Successful', color: colors.main, values: hours.map(({ success }) => success) },
          { name: 'Failed', color: colors.bad, values: hours.map(({ failed }) => failed) },
          { name: 'Refused', color: colors.warn, values: hours.map(({ refused }) => refused) },
        ]}
        fileName="calls-by-hour.csv"
        empty={{ title: 'No calls in the last 24 hours', about: 'The calls of your customers appear here.' }}
      />
      <ChartCard
        title="Credits in the last 30 days"
        about="Sold: granted for a payment. Granted free: without a payment. Burned: taken from grants by calls. Today is not over."
        look="lines"
        head="Day (UTC)"
        points={dayPoints(days)}
        series={[
          { name: 'Sold', color: colors.main, values: days.map(({ sold }) => sold) },
          { name: 'Granted free', color: colors.quiet, values: days.map(({ granted }) => granted) },
          { name: 'Burned', color: colors.warn, values: days.map(({ burned }) => burned) },
          { name: 'Expired', color: colors.bad, values: days.map(({ expired }) => expired) },
        ]}
        fileName="credits-by-day.csv"
        empty={{ title: 'No credits in the last 30 days', about: 'Credits that are granted or burned appear here.' }}
      />
      {(currencies.length > 0 || !receipts ? currencies : ['usd']).map((currency) => {
        const own = receipts!.filter((row) => row.currency === currency)
        return (
          <ChartCard
            key={currency}
            title={`Received in the last 30 days, ${currency.toUpperCase()}`}
            about="Payments minus refunds and disputes, on the day that they arrived here. Amounts in the CSV file are in minor units, such as cents, and of USDC in millionths."
            look="columns"
            head="Day (UTC)"
            points={dayPoints(own)}
            series={[{ name: 'Received', color: colors.main, values: own.map(({ cents }) => cents) }]}
            format={(cents) => money(cents, currency)}
            fileName={`received-by-day-${currency}.csv`}
            empty={{ title: 'No payments in the last 30 days', about: 'Paid plans and packs appear here.' }}
          />
        )
      })}
      <ChartCard
        title="From sign-up to payment"
        about={`Of ${count(cohort.signed_up)} people who signed up in the last 30 days, ${share(cohort.called)} made a successful call within a day, and ${share(cohort.paid)} paid within 30 days. By the day of sign-up.`}
        look="lines"
        head="Day (UTC)"
        points={dayPoints(funnel)}
        series={[
          { name: 'Signed up', color: colors.quiet, values: funnel.map(({ signed_up }) => signed_up) },
          { name: 'First call within a day', color: colors.warn, values: funnel.map(({ called }) => called) },
          { name: 'Paid within 30 days', color: colors.main, values: funnel.map(({ paid }) => paid) },
        ]}
        fileName="sign-ups-by-day.csv"
        empty={{ title: 'No sign-ups in the last 30 days', about: 'New customers appear here.' }}
      />
    </div>
  )
}
