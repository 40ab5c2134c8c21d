import { Link } from '@tanstack/react-router'
import { Badge } from '../../../ui/badge.tsx'
import type { Data } from '../../lib/api.ts'
import { count, utcTime } from '../../lib/format.ts'
import { useRead } from '../../lib/read.ts'
import { useRouteId } from '../../lib/use-route-id.ts'
import { type Columns, col, figure, summed, time } from '../../ui/columns.tsx'
import { List } from '../../ui/list.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { NotesCard } from '../acts/notes-card.tsx'
import { CallsChart } from './calls-chart.tsx'
import { LedgerTable, noLedger } from './ledger-table.tsx'
import { grantNames } from './ledger-words.ts'
import { noTimeline, TimelineTable } from './timeline-table.tsx'

/** Credits by grant, calls of 30 days, and the last of ledger and timeline. */
export function OverviewTab() {
  const id = useRouteId()
  const query = useRead('GET /customers/{id}/overview', { params: { id } })
  const full = (to: '/customers/$id/ledger' | '/customers/$id/timeline', words: string) => (
    <Link to={to} params={{ id }} className="text-muted underline underline-offset-4 hover:text-ink">
      {words}
    </Link>
  )
  return (
    <Loaded query={query} what="overview" bars={['h-40', 'h-64', 'h-40']}>
      {({ grants, unsettled, days, ledger, timeline }) => (
        <>
          <List
            title="Credits by grant"
            about="In the order in which calls burn them."
            rows={grants}
            columns={grantColumns}
            empty={{ title: 'No credits', about: 'No grant has credits left.' }}
            footer={
              unsettled > 0 && (
                <p className="text-small">
                  Burned by recent calls and not yet taken from these grants: {count(unsettled)}.
                </p>
              )
            }
          />
          <NotesCard id={id} />
          <CallsChart days={days} id={id} />
          <List title="Ledger" rows={ledger} empty={noLedger} aside={full('/customers/$id/ledger', 'Full ledger')}>
            {(lines) => <LedgerTable lines={lines} />}
          </List>
          <List
            title="Timeline"
            rows={timeline}
            empty={noTimeline}
            aside={full('/customers/$id/timeline', 'Full timeline')}
          >
            {(entries) => <TimelineTable entries={entries} />}
          </List>
        </>
      )}
    </Loaded>
  )
}

const grantColumns: Columns<Data<'GET /customers/{id}/overview'>['grants'][number]> = [
  col('Grant', ({ id }) => id),
  col('From', 'rest', ({ kind, state, starts_at }) => (
    <span className="inline-block first-letter:uppercase">
      {grantNames[kind] ?? kind} {state === 'pending' && <Badge>Starts {utcTime(starts_at).slice(0, 10)}</Badge>}
    </span>
  )),
  summed('Left', ({ remaining }) => remaining),
  figure('Of', ({ amount }) => amount),
  time('Expires (UTC)', (one) => one.expires_at),
]
