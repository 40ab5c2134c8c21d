import { useQuery } from '@tanstack/react-query'
import { Badge } from '../../../ui/badge.tsx'
import { Card } from '../../../ui/card.tsx'
import { QueryState } from '../../../ui/query-state.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import { Cell, HeadCell, Table } from '../../../ui/table.tsx'
import { utcTime } from '../../lib/format.ts'
import { partQuery } from './queries.ts'

export function PeopleTab({ id }: { id: string }) {
  const query = useQuery(partQuery('GET /customers/{id}/people', id))
  if (!query.data)
    return (
      <QueryState query={query} loading="Loading the people" bars={['h-40']} failed="The people could not be loaded." />
    )
  const { people, invitations } = query.data
  return (
    <>
      <Card title="People" flush={people.length > 0}>
        {people.length === 0 ? (
          <EmptyState title="No people" about="This customer was deleted. Only accounting records are left." />
        ) : (
          <Table
            label="People"
            head={
              <>
                <HeadCell>Person</HeadCell>
                <HeadCell>Role</HeadCell>
                <HeadCell>Joined (UTC)</HeadCell>
                <HeadCell>Last seen (UTC)</HeadCell>
              </>
            }
          >
            {people.map((one) => (
              <tr key={one.email} className="align-top">
                <Cell className="w-full min-w-[22ch]">
                  <bdi>{one.name ?? one.email}</bdi>{' '}
                  {one.deletion_due_at && (
                    <Badge tone="warning">Deleted on {utcTime(one.deletion_due_at).slice(0, 10)}</Badge>
                  )}
                  {one.name && <p className="text-small text-muted">{one.email}</p>}
                </Cell>
                <Cell>{one.role}</Cell>
                <Cell className="whitespace-nowrap">{utcTime(one.joined_at)}</Cell>
                <Cell className="whitespace-nowrap">
                  {one.last_seen_on ?? <span className="text-muted">Not signed in</span>}
                </Cell>
              </tr>
            ))}
          </Table>
        )}
      </Card>
      <Card title="Open invitations" flush={invitations.length > 0}>
        {invitations.length === 0 ? (
          <p className="text-muted">None.</p>
        ) : (
          <Table
            label="Open invitations"
            head={
              <>
                <HeadCell>Email</HeadCell>
                <HeadCell>Role</HeadCell>
                <HeadCell>Sent (UTC)</HeadCell>
                <HeadCell>Expires (UTC)</HeadCell>
              </>
            }
          >
            {invitations.map((one) => (
              <tr key={one.email}>
                <Cell className="w-full">{one.email}</Cell>
                <Cell>{one.role}</Cell>
                <Cell className="whitespace-nowrap">{utcTime(one.sent_at)}</Cell>
                <Cell className="whitespace-nowrap">{utcTime(one.expires_at)}</Cell>
              </tr>
            ))}
          </Table>
        )}
      </Card>
    </>
  )
}
