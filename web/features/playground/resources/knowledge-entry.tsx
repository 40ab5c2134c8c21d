import { type ReactNode, useState } from 'react'
import type { CompletionRequest } from '#contract/playground.ts'
import { messageOf } from '../../../lib/http/api-error.ts'
import { visible } from '../../../lib/visible.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { serverLabel } from '../server-label.ts'
import { CompletedField } from './completed-field.tsx'

interface EntryProps<T> {
  name: string
  about: string
  serverName: string
  action: string
  fields?: { name: string; description?: string | undefined; required?: boolean | undefined }[]
  /** The resource template or prompt that `fields` belongs to. */
  completes?: CompletionRequest['ref']
  run: (values: Record<string, string>) => Promise<T | null>
  show: (answer: T) => ReactNode
}

/** One resource or prompt, with its arguments and, once read, its content. */
export function KnowledgeEntry<T>({
  name,
  about,
  serverName,
  action,
  fields = [],
  completes,
  run,
  show,
}: EntryProps<T>) {
  const [values, setValues] = useState<Record<string, string>>({})
  const [busy, setBusy] = useState(false)
  const [answer, setAnswer] = useState<T | null>(null)
  const [error, setError] = useState<string | null>(null)
  const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''))
  const start = async () => {
    setBusy(true)
    setError(null)
    try {
      setAnswer(await run(given))
    } catch (reason) {
      setError(messageOf(reason, 'No answer'))
    } finally {
      setBusy(false)
    }
  }
  // Below the fields.
  const button = (
    <Button type="submit" size="small" busy={busy} aria-label={`${action} ${name}`}>
      {action}
    </Button>
  )
  return (
    <li>
      <form
        className="rounded-control border border-line p-3"
        onSubmit={(event) => {
          event.preventDefault()
          void start()
        }}
      >
        <div className="flex flex-wrap items-start gap-3">
          <div className="min-w-0 flex-1 basis-64">
            <h3 className="flex flex-wrap items-center gap-2">
              <span className="font-mono font-strong break-all">{visible(name)}</span>
              <Badge>{serverLabel(serverName)}</Badge>
            </h3>
            <p className="mt-1 text-pretty break-words text-muted">{visible(about)}</p>
          </div>
          {fields.length === 0 && button}
        </div>
        {fields.length > 0 && (
          <div className="mt-2 grid gap-3 sm:grid-cols-2">
            {fields.map((field) => (
              <CompletedField
                key={field.name}
                label={`${visible(field.name)}${field.required ? ' (required)' : ''}`}
                hint={field.description && visible(field.description)}
                value={values[field.name] ?? ''}
                onChange={(value) => setValues({ ...values, [field.name]: value })}
                question={completes && { server: serverName, ref: completes, name: field.name, given }}
              />
            ))}
          </div>
        )}
        {fields.length > 0 && <div className="mt-3">{button}</div>}
        <p role="alert" className="text-danger not-empty:mt-2">
          {error}
        </p>
        {answer !== null && show(answer)}
      </form>
    </li>
  )
}
