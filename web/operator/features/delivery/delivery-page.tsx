import type { UseQueryResult } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { DeliveryChannel, DeliveryState } from '#contract/operator/delivery-routes.ts'
import { formatAgo } from '../../../lib/format.ts'
import { PageHeader } from '../../../ui/page-header.tsx'
import { Segments } from '../../../ui/segments.tsx'
import { Tabs } from '../../../ui/tabs.tsx'
import type { Data } from '../../lib/api.ts'
import { count, utcTime } from '../../lib/format.ts'
import { useRead } from '../../lib/read.ts'
import { DeliveryList } from './delivery-list.tsx'
import { FailingCalls } from './failing-calls.tsx'
import { type DeliverySearch, type DeliveryTab, deliveryTabs } from './search.ts'
import { channelText, deliveryStates, stateText } from './text.ts'

/** What goes out and comes in: tabs by kind, states with counts, failed first. */
export function DeliveryPage() {
  const search: DeliverySearch = useSearch({ strict: false })
  const navigate = useNavigate()
  const summary = useRead('GET /delivery', {}, { everyMs: 10_000 })
  const tab = search.channel ?? 'events'
  const go = (next: DeliverySearch) => navigate({ to: '/delivery', search: next })
  const labelOf = (value: DeliveryTab): string => {
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
        options={deliveryTabs.map((value) => ({ value, label: labelOf(value) }))}
        onChange={(next) => go({ channel: next })}
      >
        {tab === 'calls' ? (
          <FailingCalls hours={search.hours ?? 24} onHours={(hours) => go({ channel: tab, hours })} />
        ) : (
          <Channel
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

interface ChannelProps {
  channel: DeliveryChannel
  state: DeliveryState | undefined
  summary: UseQueryResult<Data<'GET /delivery'>>
  onState: (state: DeliveryState) => void
}

function Channel({ channel, state: asked, summary, onState }: ChannelProps) {
  const found = summary.data?.channels.find((one) => one.channel === channel)
  const state = asked ?? deliveryStates.find((one) => found?.counts[one]) ?? 'done'
  const oldest = found?.oldest_at
  return (
    <DeliveryList
      key={`${channel} ${state}`}
      channel={channel}
      state={state}
      footer={
        oldest && `The oldest one that is not done is from ${utcTime(oldest)} UTC, ${formatAgo(oldest, new Date())}.`
      }
    >
      <Segments
        label="State"
        look="wrap"
        value={state}
        options={deliveryStates
          .filter((one) => channel !== 'jobs' || one !== 'done')
          .map((one) => ({ value: one, label: `${stateText[one].label} ${found ? shown(found.counts[one]) : ''}` }))}
        onChange={onState}
      />
    </DeliveryList>
  )
}

/** The server counts to 10,001. */
const shown = (n: number): string => (n > 10_000 ? `${count(n - 1)}+` : count(n))
