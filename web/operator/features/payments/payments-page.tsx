import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { PageHeader } from '../../../ui/page-header.tsx'
import { Segments } from '../../../ui/segments.tsx'
import type { Data } from '../../lib/api.ts'
import { count, utcTime } from '../../lib/format.ts'
import { readPages, useRead } from '../../lib/read.ts'
import { amount, type Columns, figure } from '../../ui/columns.tsx'
import { List } from '../../ui/list.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { OffCard } from './off-card.tsx'
import { PaymentFilters } from './payment-filters.tsx'
import { Bought, PaymentState, reasonText, shortened, stateName } from './payment-text.tsx'
import { type PaymentsSearch, productText, viewText } from './search.ts'

type Payments = Data<'GET /payments'>
type Payment = Payments['payments'][number]
type View = keyof typeof viewText

const about = 'Single calls and balances that agents without an account paid for in a stablecoin, on a chain.'

/** Payments of agents by state; undecided ones first, if there are any. */
export function PaymentsPage() {
  const first = useRead('GET /payments', { query: { state: 'unknown' } }, { everyMs: 10_000 })
  return (
    <>
      <PageHeader title="Agent payments" about={about} />
      <Loaded query={first} what="payments" bars={['h-9', 'h-64']}>
        {({ on, counts }) => {
          const any = Object.values(counts).some((n) => n > 0)
          if (!on && !any) return <OffCard />
          return (
            <>
              {!on && (
                <Notice tone="warning">Agents cannot pay now: AGENT_PAYMENTS is off. These payments are older.</Notice>
              )}
              <Listed counts={counts} />
            </>
          )
        }}
      </Loaded>
    </>
  )
}

function Listed({ counts }: Pick<Payments, 'counts'>) {
  const { state: asked, ...filter }: PaymentsSearch = useSearch({ strict: false })
  const navigate = useNavigate()
  const state = asked ?? (counts.unknown > 0 ? 'unknown' : 'settled')
  const query = useInfiniteQuery({
    ...readPages('GET /payments', { query: { state, ...filter } }),
    refetchInterval: 10_000,
  })
  const isFiltered = Object.keys(filter).length > 0
  return (
    <List
      title="Payments"
      label={`Payments, ${viewText[state].toLowerCase()}`}
      about={meaning[state]}
      query={query}
      what="payments"
      rows={query.data?.pages.flatMap(({ payments }) => payments) ?? []}
      columns={columns}
      keyOf={({ id }) => id}
      csv={`agent-payments-${state}.csv`}
      filters={
        <div className="space-y-3 px-5 pb-4">
          <Segments
            label="State"
            look="wrap"
            value={state}
            options={(Object.keys(viewText) as View[]).map((value) => ({
              value,
              label: `${viewText[value]} ${shown(counts[value])}`,
            }))}
            onChange={(next) => navigate({ to: '/payments', search: { ...filter, state: next } })}
          />
          <PaymentFilters search={{ ...(asked && { state: asked }), ...filter }} />
        </div>
      }
      empty={
        isFiltered
          ? { title: 'No matching payments', about: 'Remove a filter to see more payments.' }
          : { title: `No payments are ${viewText[state].toLowerCase()}`, about: emptyText[state] }
      }
    />
  )
}

const meaning: Record<View, string> = {
  unknown: 'Nobody knows yet whether the money came. Nothing was delivered. A job asks the chain each minute.',
  open: 'The call runs, or its settlement is under way.',
  settled:
    'The money came, and the call or the credits were delivered. Amounts in the CSV file are millionths of a dollar.',
  failed: 'No money came, and nothing was delivered. Deleted a day after the payment has expired.',
  released:
    'The call failed or ended before its payment was asked for. Nobody paid. Deleted a day after the payment has expired.',
}

const emptyText: Record<View, string> = {
  unknown: 'The outcome of every payment is known.',
  open: 'Payments are under way for seconds only.',
  settled: 'Payments appear here when agents pay for calls or balances.',
  failed: 'Payments whose settlement was refused appear here.',
  released: 'Payments of calls that failed appear here.',
}

/** The server counts to 10,001. */
const shown = (n: number): string => (n > 10_000 ? '10,000+' : count(n))

const usdc = () => 'usdc'
const columns: Columns<Payment> = [
  { head: 'Payment', value: ({ id }) => id, onlyCsv: true },
  {
    head: 'Time (UTC)',
    look: 'line',
    value: ({ at }) => at,
    cell: ({ at, id }) => (
      <Link to="/payments/$id" params={{ id }} className="font-strong hover:underline">
        {utcTime(at)}
      </Link>
    ),
  },
  {
    head: 'State',
    value: ({ state }) => stateName(state),
    cell: ({ state, reason }) => (
      <>
        <PaymentState state={state} />
        {reason && <p className="mt-1 text-small text-muted">{reasonText(reason)}</p>}
      </>
    ),
  },
  { head: 'Bought', value: ({ product }) => productText[product] },
  amount('Amount', ({ micro_usd: microUsd }) => microUsd, usdc, { csv: 'Amount (micro-USD)' }),
  figure('Credits', ({ credits }) => credits),
  {
    head: 'Payer',
    look: 'code',
    value: ({ payer }) => payer,
    cell: ({ payer }) => (
      <Link to="/payments" search={(kept: object) => ({ ...kept, payer })} title={payer} className="hover:underline">
        {shortened(payer)}
      </Link>
    ),
  },
  { head: 'Network', look: 'code', value: ({ network }) => network },
  {
    head: 'Receipt or balance',
    look: 'code',
    value: ({ receipt_id: receipt, account_id: account, product, state }) =>
      receipt ?? (product === 'balance' && state === 'settled' ? account : ''),
    cell: (one) => <Bought payment={one} />,
  },
  { head: 'Transaction', value: ({ reference }) => reference ?? '', onlyCsv: true },
  { head: 'Reason', value: ({ reason }) => reason ?? '', onlyCsv: true },
]
