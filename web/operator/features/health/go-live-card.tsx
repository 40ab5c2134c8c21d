import { Badge } from '../../../ui/badge.tsx'
import { count } from '../../lib/format.ts'
import { useRead } from '../../lib/read.ts'
import { Lines } from '../../ui/lines.tsx'
import { List } from '../../ui/list.tsx'

/** What an installation needs before it sells, each looked up by the server. */
export function GoLiveCard() {
  const list = useRead('GET /go-live')
  const items = list.data?.items ?? []
  const left = items.filter(({ done }) => !done).length
  return (
    <List
      title="Go-live checklist"
      about="The server checks each item when this page opens."
      aside={
        list.data && (
          <Badge tone={left > 0 ? 'warning' : 'success'}>{left > 0 ? `${count(left)} left` : 'Complete'}</Badge>
        )
      }
      query={list}
      what="checks"
      rows={items}
      empty={{ about: 'There is nothing to check.' }}
    >
      {(rows) => (
        <Lines
          lines={rows.map(({ key, label, done, found, todo }) => ({
            key,
            title: (
              <>
                {label} <Badge tone={done ? 'success' : 'warning'}>{done ? 'Done' : 'To do'}</Badge>
              </>
            ),
            body: <p className="break-words text-muted">{found}</p>,
            action: todo && <p className="max-w-[60ch] text-pretty">{todo}</p>,
          }))}
        />
      )}
    </List>
  )
}
