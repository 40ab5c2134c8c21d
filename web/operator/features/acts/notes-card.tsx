import { useQuery } from '@tanstack/react-query'
import { Card } from '../../../ui/card.tsx'
import { QueryState } from '../../../ui/query-state.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import { utcTime } from '../../lib/format.ts'
import { actStateQuery } from './queries.ts'

/** What operators noted about a customer, newest first. */
export function NotesCard({ id }: { id: string }) {
  const state = useQuery(actStateQuery(id))
  const notes = state.data?.notes ?? []
  return (
    <Card
      title="Notes"
      about="For operators only. Notes are included in exports of the customer's data, and erased with the account."
    >
      <QueryState
        query={state}
        loading="Loading the notes"
        bars={['h-9', 'h-9']}
        failed="The notes could not be loaded."
      />
      {state.data && notes.length === 0 && (
        <EmptyState
          title="No notes yet"
          about="Write down what the next operator should know, such as an agreement by email."
        />
      )}
      <ul className="divide-y divide-line">
        {notes.map(({ id: key, at, operator, note }) => (
          <li key={key} className="py-3 first:pt-0 last:pb-0">
            <p className="break-words whitespace-pre-line">{note}</p>
            <p className="mt-1 text-small text-muted">
              {operator}, {utcTime(at)} UTC
            </p>
          </li>
        ))}
      </ul>
    </Card>
  )
}
