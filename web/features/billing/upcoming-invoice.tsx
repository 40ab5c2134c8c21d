import { useQuery } from '@tanstack/react-query'
import { formatMoney } from '#contract/currency.ts'
import { formatDate } from '../../lib/format.ts'
import { Card } from '../../ui/card.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { upcomingQuery } from './queries.ts'
import { invoiceTaxText as tax } from './tax/text.ts'
import { billingText as text } from './text.ts'

/** The next charge of the paid plan, line by line. */
export function UpcomingInvoice() {
  const query = useQuery(upcomingQuery)
  const { data } = query
  return (
    <Card title={text.upcoming} about={data && text.upcomingOn(formatDate(data.at))}>
      <QueryState
        query={query}
        loading={text.upcomingLoading}
        bars={['h-5 w-full', 'h-5 w-full']}
        failed={text.upcomingFailed}
      />
      {data === null && <p className="text-muted">{text.upcomingNone}</p>}
      {data && (
        <dl className="divide-y divide-line figures">
          {data.lines.map(({ description, amount }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines of an invoice have no identity and never move
            <div key={index} className="flex justify-between gap-6 py-2">
              <dt className="min-w-0 text-muted">{description}</dt>
              <dd>{formatMoney(amount, data.currency, true)}</dd>
            </div>
          ))}
          {data.taxes?.map(({ label, percent, amount }) => (
            <div key={label} className="flex justify-between gap-6 py-2">
              <dt className="min-w-0 text-muted">{tax.line(label, percent)}</dt>
              <dd>{formatMoney(amount, data.currency, true)}</dd>
            </div>
          ))}
          <div className="flex justify-between gap-6 pt-2 font-strong">
            <dt>Total</dt>
            <dd>{formatMoney(data.amount, data.currency, true)}</dd>
          </div>
        </dl>
      )}
      {data?.tax_added && <p className="mt-2 text-muted">{tax.added}</p>}
    </Card>
  )
}
