import { useState } from 'react'
import { messageOf } from '../../../lib/http/api-error.ts'
import { Badge } from '../../../ui/badge.tsx'
import { CodeBlock } from '../../../ui/code-block.tsx'
import { FormDialog } from '../../../ui/dialog/form-dialog.tsx'
import { TextArea } from '../../../ui/form/field.tsx'
import { ProofWhenAsked } from '../../layout/proof-dialog.tsx'
import type { Data } from '../../lib/api.ts'
import { count } from '../../lib/format.ts'
import { useFresh } from '../../lib/use-fresh.ts'
import type { ShownUpstream } from './queries.ts'

type Operation = ShownUpstream['shown']['operations'][number]
type Tried = Data<'POST /upstreams/{id}/try'>

interface TryDialogProps {
  id: string
  version: number
  operation: Operation
  onClose: () => void
}

/** One real call of an operation, as the operator. */
export function TryDialog({ id, version, operation, onClose }: TryDialogProps) {
  const attempt = useFresh('POST /upstreams/{id}/try', { id })
  const [text, setText] = useState(() => JSON.stringify(beginOf(operation), null, 2))
  const [wrong, setWrong] = useState<string | null>(null)
  const send = () => {
    const input = parse(text)
    if (!input) return setWrong('Enter the inputs as a JSON object, such as {"symbol": "ACME"}.')
    setWrong(null)
    attempt.send({ version, operation: operation.id, input })
  }
  return (
    <FormDialog
      title={`Try ${operation.tool}`}
      about="This sends one real request to the upstream with your credential. Nothing is charged, and there is no receipt. The audit log records it."
      submitLabel="Send"
      busyLabel="Sending"
      busy={attempt.isPending}
      error={attempt.error && messageOf(attempt.error, 'The request could not be sent.')}
      onSubmit={send}
      onClose={onClose}
    >
      <TextArea label="Inputs" rows={6} value={text} error={wrong} onChange={(event) => setText(event.target.value)} />
      {attempt.data && <Answer tried={attempt.data} />}
      <ProofWhenAsked of={attempt} />
    </FormDialog>
  )
}

function Answer({ tried: { status, problem, body, bytes, duration_ms, credits } }: { tried: Tried }) {
  return (
    <section aria-label="Response" aria-live="polite" className="space-y-2">
      <p className="flex flex-wrap items-center gap-2">
        <Badge tone={status !== null && status < 400 ? 'success' : 'danger'}>{status ?? 'No usable response'}</Badge>
        <span className="text-muted">
          {count(duration_ms)} ms, {count(bytes)} bytes. A customer would pay{' '}
          {credits === null ? 'when the stream ends' : credits === 1 ? '1 credit' : `${count(credits)} credits`}.
        </span>
      </p>
      {problem ? (
        <p className="text-danger break-words">{problem}</p>
      ) : (
        <CodeBlock label="Body" code={shown(body)} className="max-h-72 overflow-y-auto" />
      )}
    </section>
  )
}

/** The description's example, or the required inputs without values. */
function beginOf({ example, input }: Operation): Record<string, unknown> {
  if (example) return example
  const required = Array.isArray(input.required) ? input.required.map(String) : []
  return Object.fromEntries(required.map((name) => [name, '']))
}

function parse(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return value !== null && typeof value === 'object' && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}

function shown(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body === '' ? '(empty)' : body
  }
}
