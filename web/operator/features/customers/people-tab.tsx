import { Badge } from '../../../ui/badge.tsx'
import type { Data } from '../../lib/api.ts'
import { utcTime } from '../../lib/format.ts'
import { useRead } from '../../lib/read.ts'
import { useRouteId } from '../../lib/use-route-id.ts'
import { type Columns, col, shownOr, time } from '../../ui/columns.tsx'
import { List } from '../../ui/list.tsx'

type People = Data<'GET /customers/{id}/people'>

export function PeopleTab() {
  const query = useRead('GET /customers/{id}/people', { params: { id: useRouteId() } })
  return (
    <>
      <List
        title="People"
        query={query}
        what="people"
        rows={query.data?.people ?? []}
        columns={people}
        empty={{ title: 'No people', about: 'This customer was deleted. Only accounting records are left.' }}
      />
      {query.data && (
        <List
          title="Open invitations"
          rows={query.data.invitations}
          columns={invitations}
          empty={{
            title: 'No open invitations',
            about: 'Invitations to this workspace appear here until they are used.',
          }}
        />
      )}
    </>
  )
}

const people: Columns<People['people'][number]> = [
  col('Person', 'rest', (one) => (
    <>
      <bdi>{one.name ?? one.email}</bdi>{' '}
      {one.deletion_due_at && <Badge tone="warning">Deleted on {utcTime(one.deletion_due_at).slice(0, 10)}</Badge>}
      {one.name && <p className="text-small text-muted">{one.email}</p>}
    </>
  )),
  col('Role', ({ role }) => role),
  time('Joined (UTC)', (one) => one.joined_at),
  col('Last seen (UTC)', 'line', (one) => shownOr(one.last_seen_on, 'Not signed in')),
]

const invitations: Columns<People['invitations'][number]> = [
  col('Email', 'rest', ({ email }) => email),
  col('Role', ({ role }) => role),
  time('Sent (UTC)', (one) => one.sent_at),
  time('Expires (UTC)', (one) => one.expires_at),
]
