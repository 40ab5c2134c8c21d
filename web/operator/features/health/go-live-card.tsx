import { useQuery } from '@tanstack/react-query'
import { Badge } from '../../../ui/badge.tsx'
import { Card } from '../../../ui/card.tsx'
import { QueryState } from '../../../ui/query-state.tsx'
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
      title="Go-live checklist"
      about="The server checks each item when this page opens."
      aside={
        list.data && (
          <Badge tone={left > 0 ? 'warning' : 'success'}>{left > 0 ? `${count(left)} left` : 'Complete'}</Badge>
        )
      }
      flush={items.length > 0}
    >
      <QueryState
        query={list}
        loading="Loading the checks"
        bars={['h-9', 'h-9', 'h-9']}
        failed="The list could not be loaded."
      />
      <ul className="divide-y divide-line border-line not-empty:border-t">
        {items.map(({ key, label, done, found, todo }) => (
          <li key={key} className="flex flex-wrap gap-x-6 gap-y-1 px-5 py-3">
            <div className="min-w-0 flex-1 basis-64">
              <p className="flex flex-wrap items-center gap-2 font-strong">
                {label} <Badge tone={done ? 'success' : 'warning'}>{done ? 'Done' : 'To do'}</Badge>
              </p>
              <p className="break-words text-muted">{found}</p>
            </div>
            {todo && <p className="min-w-0 flex-2 basis-64 text-pretty">{todo}</p>}
          </li>
        ))}
      </ul>
    </Card>
  )
}
