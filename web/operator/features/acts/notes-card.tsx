import { useQuery } from '@tanstack/react-query'
import { utcTime } from '../../lib/format.ts'
import { List } from '../../ui/list.tsx'
import { actStateQuery } from './queries.ts'

/** What operators noted about a customer, newest first. */
export function NotesCard({ id }: { id: string }) {
  const state = useQuery(actStateQuery(id))
  return (
    <List
      title="Notes"
      about="For operators only. Notes are included in exports of the customer's data, and erased with the account."
      query={state}
      what="notes"
      rows={state.data?.notes ?? []}
      empty={{
        title: 'No notes yet',
        about: 'Write down what the next operator should know, such as an agreement by email.',
      }}
    >
      {(notes) => (
        <ul className="divide-y divide-line border-t border-line">
          {notes.map(({ id: key, at, operator, note }) => (
            <li key={key} className="px-5 py-3">
              <p className="break-words whitespace-pre-line">{note}</p>
              <p className="mt-1 text-small text-muted">
                {operator}, {utcTime(at)} UTC
              </p>
            </li>
          ))}
        </ul>
      )}
    </List>
  )
}
