import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Badge } from '../../../ui/badge.tsx'
import { Card } from '../../../ui/card.tsx'
import { QueryState } from '../../../ui/query-state.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import { Cell, HeadCell, Table } from '../../../ui/table.tsx'
import type { Data } from '../../lib/api.ts'
import { count, utcTime } from '../../lib/format.ts'
import { NotesCard } from '../acts/notes-card.tsx'
import { CallsChart } from './calls-chart.tsx'
import { LedgerTable } from './ledger-table.tsx'
import { grantNames } from './ledger-words.ts'
import { partQuery } from './queries.ts'
import { TimelineTable } from './timeline-table.tsx'

const more = 'text-muted underline underline-offset-4 hover:text-ink'

/** Credits by grant, calls of 30 days, and the last of ledger and timeline. */
export function OverviewTab({ id }: { id: string }) {
  const query = useQuery(partQuery('GET /customers/{id}/overview', id))
  if (!query.data)
    return (
      <QueryState
        query={query}
        loading="Loading the overview"
        bars={['h-40', 'h-64', 'h-40']}
        failed="The overview could not be loaded."
      />
    )
  const { grants, unsettled, days, ledger, timeline } = query.data
  return (
    <>
      <Card
        title="Credits by grant"
        about="In the order in which calls burn them."
        flush={grants.length > 0}
        footer={
          unsettled > 0 && (
            <p className="text-small">
              Burned by recent calls and not yet taken from these grants: {count(unsettled)}.
            </p>
          )
        }
      >
        {grants.length === 0 ? (
          <EmptyState title="No credits" about="No grant has credits left." />
        ) : (
          <Grants grants={grants} />
        )}
      </Card>
      <NotesCard id={id} />
      <CallsChart days={days} id={id} />
      <Card
        title="Ledger"
        flush={ledger.length > 0}
        aside={
          <Link to="/customers/$id/ledger" params={{ id }} className={more}>
            Full ledger
          </Link>
        }
      >
        {ledger.length === 0 ? (
          <EmptyState title="No entries yet" about="The first credits of this customer appear here." />
        ) : (
          <LedgerTable lines={ledger} />
        )}
      </Card>
      <Card
        title="Timeline"
        flush={timeline.length > 0}
        aside={
          <Link to="/customers/$id/timeline" params={{ id }} className={more}>
            Full timeline
          </Link>
        }
      >
        {timeline.length === 0 ? (
          <EmptyState title="Nothing yet" about="Sign-ups, keys, plans and operator actions appear here." />
        ) : (
          <TimelineTable entries={timeline} />
        )}
      </Card>
    </>
  )
}

const Grants = ({ grants }: { grants: Data<'GET /customers/{id}/overview'>['grants'] }) => (
  <Table
    label="Credits by grant"
    head={
      <>
        <HeadCell>Grant</HeadCell>
        <HeadCell>From</HeadCell>
        <HeadCell align="right">Left</HeadCell>
        <HeadCell align="right">Of</HeadCell>
        <HeadCell>Expires (UTC)</HeadCell>
      </>
    }
  >
    {grants.map((grant) => (
      <tr key={grant.id}>
        <Cell>{grant.id}</Cell>
        <Cell className="w-full whitespace-nowrap first-letter:uppercase">
          {grantNames[grant.kind] ?? grant.kind}{' '}
          {grant.state === 'pending' && <Badge>Starts {utcTime(grant.starts_at).slice(0, 10)}</Badge>}
        </Cell>
        <Cell align="right">{count(grant.remaining)}</Cell>
        <Cell align="right" className="text-muted">
          {count(grant.amount)}
        </Cell>
        <Cell className="whitespace-nowrap">{grant.expires_at ? utcTime(grant.expires_at) : 'Never'}</Cell>
      </tr>
    ))}
  </Table>
)
