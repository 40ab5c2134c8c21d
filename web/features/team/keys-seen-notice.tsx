import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Button } from '../../ui/button.tsx'
import { keysSeenQuery } from './queries.ts'
import { teamText as text } from './text.ts'

const MOST_SHOWN = 10

/** After a removal or a change of role: links to the keys that the person has seen, so that they can be rotated. */
export function KeysSeenNotice() {
  const client = useQueryClient()
  const { data: seen } = useQuery(keysSeenQuery)
  if (!seen) return null
  const { name, keys } = seen
  return (
    <section
      role="status"
      aria-label={text.keysSeenTitle}
      className="rounded-card border border-warning-line bg-warning-soft px-5 py-4"
    >
      <h2 className="font-strong">{text.keysSeenTitle}</h2>
      <p className="mt-0.5 text-pretty wrap-anywhere">{text.keysSeenAbout(name, keys.length)}</p>
      <ul className="mt-2 flex flex-wrap gap-x-4">
        {keys.slice(0, MOST_SHOWN).map(({ id, name }) => (
          <li key={id} className="min-w-0">
            <Link
              to="/dashboard/api-keys/$keyId"
              params={{ keyId: id }}
              className="inline-block max-w-full truncate py-1 font-strong underline underline-offset-2"
            >
              {name}
            </Link>
          </li>
        ))}
        {keys.length > MOST_SHOWN && (
          <li>
            <Link to="/dashboard/api-keys" className="inline-block py-1 font-strong underline underline-offset-2">
              {text.keysSeenMore(keys.length - MOST_SHOWN)}
            </Link>
          </li>
        )}
      </ul>
      <Button size="small" className="mt-2" onClick={() => client.setQueryData(keysSeenQuery.queryKey, null)}>
        {text.keysSeenDismiss}
      </Button>
    </section>
  )
}
