import { useEffect, useState } from 'react'
import { messageOf } from '../../lib/api-error.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { EmptyState, ErrorState } from '../../ui/states.tsx'
import { TableSkeleton } from '../../ui/table-skeleton.tsx'
import { type Knowledge, playgroundApi } from './playground-api.ts'
import type { Playground } from './use-playground.ts'

type Known = Knowledge & { serverName: string }

/** What the connected servers let clients read, and the prompts that they propose. */
export function KnowledgePanel({
  kind,
  playground,
  connected,
}: {
  kind: 'resources' | 'prompts'
  playground: Playground
  connected: boolean
}) {
  const [known, setKnown] = useState<Known[] | null>(null)
  const [error, setError] = useState<unknown>(null)
  const names = playground.servers.map(({ name }) => name).join('\n')
  useEffect(() => {
    let current = true
    const load = names.split('\n').filter(Boolean)
    Promise.all(load.map(async (serverName) => ({ serverName, ...(await playgroundApi.knowledge(serverName)) }))).then(
      (all) => current && setKnown(all),
      (reason) => current && setError(reason),
    )
    return () => {
      current = false
    }
  }, [names])
  if (!connected) return <EmptyState title="No servers connected" about="Connect to a server to see what it holds." />
  if (error) return <ErrorState title={`Failed to load ${kind}`} error={error} />
  if (!known) return <TableSkeleton label={`Loading ${kind}...`} />
  const count = known.reduce((sum, one) => sum + (kind === 'prompts' ? one.prompts.length : one.resources.length), 0)
  if (count === 0) return <EmptyState title={`No ${kind}`} about="The connected servers offer none." />
  return (
    <ul className="mt-4 space-y-3">
      {known.flatMap(({ serverName, resources, prompts }) =>
        kind === 'resources'
          ? resources.map((resource) => (
              <Entry
                key={`${serverName} ${resource.uri}`}
                name={resource.uri}
                about={resource.description ?? resource.name}
                action="Read"
                run={() => playground.readResource(serverName, resource.uri)}
              />
            ))
          : prompts.map((prompt) => (
              <Entry
                key={`${serverName} ${prompt.name}`}
                name={prompt.name}
                about={prompt.description ?? ''}
                fields={prompt.arguments}
                action="Get messages"
                run={(values) => playgroundApi.prompt(serverName, prompt.name, values).then((data) => data.messages)}
              />
            )),
      )}
    </ul>
  )
}

interface EntryProps {
  name: string
  about: string
  action: string
  fields?: { name: string; description?: string | undefined; required?: boolean | undefined }[]
  run: (values: Record<string, string>) => Promise<unknown>
}

/** One thing to read, and below it what it says. */
function Entry({ name, about, action, fields = [], run }: EntryProps) {
  const [values, setValues] = useState<Record<string, string>>({})
  const [busy, setBusy] = useState(false)
  const [answer, setAnswer] = useState<unknown>()
  const [error, setError] = useState<string | null>(null)
  const start = async () => {
    setBusy(true)
    setError(null)
    try {
      setAnswer(
        (await run(Object.fromEntries(Object.entries(values).filter(([, value]) => value !== '')))) ?? undefined,
      )
    } catch (reason) {
      setError(messageOf(reason, 'No answer'))
    } finally {
      setBusy(false)
    }
  }
  return (
    <li className="rounded-control border border-line p-3">
      <div className="flex flex-wrap items-start gap-3">
        <div className="min-w-0 flex-1 basis-64">
          <h3 className="font-mono font-strong break-all">{name}</h3>
          <p className="mt-1 text-pretty text-muted">{about}</p>
        </div>
        <Button size="small" busy={busy} onClick={() => void start()} aria-label={`${action} ${name}`}>
          {action}
        </Button>
      </div>
      {fields.length > 0 && (
        <div className="mt-2 grid gap-3 sm:grid-cols-2">
          {fields.map((field) => (
            <TextField
              key={field.name}
              label={`${field.name}${field.required ? ' (required)' : ''}`}
              hint={field.description}
              value={values[field.name] ?? ''}
              onChange={(event) => setValues({ ...values, [field.name]: event.target.value })}
            />
          ))}
        </div>
      )}
      <p role="alert" className="text-danger not-empty:mt-2">
        {error}
      </p>
      {answer !== undefined && (
        <pre
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
          tabIndex={0}
          className="mt-2 max-h-80 overflow-auto rounded-control border border-line bg-sunken p-3 font-mono text-small leading-5 -outline-offset-2"
        >
          {JSON.stringify(answer, null, 2)}
        </pre>
      )}
    </li>
  )
}
