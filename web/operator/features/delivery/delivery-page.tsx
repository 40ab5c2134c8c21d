import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { DeliveryChannel, DeliveryState } from '#contract/operator/delivery-routes.ts'
import { formatAgo } from '../../../lib/format.ts'
import { Card } from '../../../ui/card.tsx'
import { PageHeader } from '../../../ui/page-header.tsx'
import { QueryState } from '../../../ui/query-state.tsx'
import { Segments } from '../../../ui/segments.tsx'
import { Tabs } from '../../../ui/tabs.tsx'
import { call, type Data } from '../../lib/api.ts'
import { count, utcTime } from '../../lib/format.ts'
import { DeliveryTable } from './delivery-table.tsx'
import { FailingCalls, isHours } from './failing-calls.tsx'
import { channelText, deliveryChannels, deliveryStates, stateText } from './text.ts'

type Tab = DeliveryChannel | 'calls'
interface Search {
  channel?: Tab
  state?: DeliveryState
  hours?: number
}

const tabs: readonly Tab[] = [...deliveryChannels, 'calls']

/** Absent in the address: the first channel, and its state that most wants attention. */
export const deliverySearch = ({ channel, state, hours }: Record<string, unknown>): Search => ({
  ...(tabs.some((one) => one === channel) && { channel: channel as Tab }),
  ...(deliveryStates.some((one) => one === state) && { state: state as DeliveryState }),
  ...(isHours(hours) && { hours: Number(hours) }),
})

/** What goes out and comes in: tabs by kind, states with counts, failed first. */
export function DeliveryPage() {
  const search: Search = useSearch({ strict: false })
  const navigate = useNavigate()
  const summary = useQuery({
    queryKey: ['operator', 'delivery'],
    queryFn: ({ signal }) => call('GET /delivery', { signal }),
    refetchInterval: 10_000,
  })
  const tab = search.channel ?? 'events'
  const go = (next: Search) => navigate({ to: '/delivery', search: next })
  const labelOf = (value: Tab): string => {
    if (value === 'calls') return 'Failing calls'
    const failed = summary.data?.channels.find(({ channel }) => channel === value)?.counts.failed ?? 0
    return failed > 0 ? `${channelText[value].label} (${shown(failed)} failed)` : channelText[value].label
  }
  return (
    <>
      <PageHeader
        title="Deliveries"
        about="Payment events, webhooks, emails and jobs: what failed, what is waiting, and since when."
      />
      <Tabs
        label="Channel"
        value={tab}
        options={tabs.map((value) => ({ value, label: labelOf(value) }))}
        onChange={(next) => go({ channel: next })}
      >
        {tab === 'calls' ? (
          <FailingCalls hours={search.hours ?? 24} onHours={(hours) => go({ channel: tab, hours })} />
        ) : (
          <ChannelCard
            channel={tab}
            state={search.state}
            summary={summary}
            onState={(state) => go({ channel: tab, state })}
          />
        )}
      </Tabs>
    </>
  )
}

interface ChannelCardProps {
  channel: DeliveryChannel
  state: DeliveryState | undefined
  summary: UseQueryResult<Data<'GET /delivery'>>
  onState: (state: DeliveryState) => void
}

function ChannelCard({ channel, state: asked, summary, onState }: ChannelCardProps) {
  const found = summary.data?.channels.find((one) => one.channel === channel)
  const state = asked ?? deliveryStates.find((one) => found?.counts[one]) ?? 'done'
  const { label, about } = channelText[channel]
  const oldest = found?.oldest_at
  return (
    <Card
      title={label}
      about={about}
      flush
      className="mt-3"
      footer={
        oldest && `The oldest one that is not done is from ${utcTime(oldest)} UTC, ${formatAgo(oldest, new Date())}.`
      }
    >
      <QueryState
        query={summary}
        className="space-y-3 px-5 pb-4"
        loading="Counting deliveries"
        bars={['h-7 w-2/3', 'h-9', 'h-9']}
        failed="The deliveries could not be counted."
      />
      {found && (
        <>
          <div className="px-5 pb-3">
            <Segments
              label="State"
              look="wrap"
              value={state}
              options={deliveryStates
                .filter((one) => channel !== 'jobs' || one !== 'done')
                .map((one) => ({ value: one, label: `${stateText[one].label} ${shown(found.counts[one])}` }))}
              onChange={onState}
            />
          </div>
          <DeliveryTable key={`${channel} ${state}`} channel={channel} state={state} />
        </>
      )}
    </Card>
  )
}

/** The server counts to 10,001. */
const shown = (n: number): string => (n > 10_000 ? `${count(n - 1)}+` : count(n))
