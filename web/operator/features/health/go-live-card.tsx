import { useQuery } from '@tanstack/react-query'
import { Badge } from '../../../ui/badge.tsx'
import { Card } from '../../../ui/card.tsx'
import { QueryState } from '../../../ui/query-state.tsx'
import { Cell, HeadCell, Table } from '../../../ui/table.tsx'
import { call } from '../../lib/api.ts'
import { count } from '../../lib/format.ts'

/** What an installation needs before it sells, each looked up by the server. */
export function GoLiveCard() {
  const list = useQuery({
    queryKey: ['operator', 'go-live'],
    queryFn: ({ signal }) => call('GET /go-live', { signal }),
  })
  const items = list.data?.items ?? []
  const left = items.filter(({ done }) => !done).length
  return (
    <Card
      title="Go-live list"
      about="The server looks each point up when this page is opened."
      aside={
        list.data && (
          <Badge tone={left > 0 ? 'warning' : 'success'}>{left > 0 ? `${count(left)} left` : 'Complete'}</Badge>
        )
      }
      flush={items.length > 0}
    >
      <QueryState query={list} loading="Looking" bars={['h-9', 'h-9', 'h-9']} failed="The list could not be loaded." />
      {items.length > 0 && (
        <Table
          label="Go-live list"
          head={
            <>
              <HeadCell>Point</HeadCell>
              <HeadCell>Found</HeadCell>
              <HeadCell>What to do</HeadCell>
            </>
          }
        >
          {items.map(({ key, label, done, found, todo }) => (
            <tr key={key} className="align-top">
              <Cell className="whitespace-nowrap">
                <p className="font-strong">{label}</p>
                <Badge tone={done ? 'success' : 'warning'}>{done ? 'Done' : 'Missing'}</Badge>
              </Cell>
              <Cell className="min-w-40">{found}</Cell>
              <Cell className="min-w-60 max-w-[60ch] text-pretty text-muted">{todo ?? 'Nothing.'}</Cell>
            </tr>
          ))}
        </Table>
      )}
    </Card>
  )
}
