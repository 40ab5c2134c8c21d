import { type FormEvent, useState } from 'react'
import type { ToolResult } from '#contract/playground.ts'
import { visible } from '../../../lib/visible.ts'
import { Button } from '../../../ui/button.tsx'
import type { Answers } from '../playground-api.ts'
import { playgroundText as text } from '../text.ts'
import { fieldsOf } from '../tools/schema-fields.ts'
import { readArguments } from '../tools/tool-fields.ts'
import { FieldInput } from '../tools/tool-form.tsx'

/** A tool call that waits for input. */
export interface Question {
  serverName: string
  tool: string
  arguments: unknown
  result: ToolResult
}

interface InputRequest {
  method?: string
  params?: { message?: unknown; requestedSchema?: Record<string, unknown> }
}

interface QuestionPanelProps {
  question: Question
  onAnswer: (answers: Answers) => void
}

/** Input that a tool requests, as a form. The server reads the answers, so the form says which server it is. */
export function QuestionPanel({ question: { serverName, tool, result }, onAnswer }: QuestionPanelProps) {
  const requests = Object.entries((result.inputRequests ?? {}) as Record<string, InputRequest>)
  const [values, setValues] = useState<Record<string, Record<string, string>>>({})
  const [error, setError] = useState<string | null>(null)
  const state = result.requestState === undefined ? {} : { requestState: result.requestState }

  const decline = () =>
    onAnswer({ inputResponses: Object.fromEntries(requests.map(([id]) => [id, { action: 'decline' }])), ...state })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const inputResponses: Answers['inputResponses'] = {}
    for (const [id, { method, params }] of requests) {
      const made = readArguments(fieldsOf(params?.requestedSchema ?? {}), values[id] ?? {})
      if (!made.ok) return setError(made.error)
      // Only form requests are supported.
      inputResponses[id] =
        method === 'elicitation/create' ? { action: 'accept', content: made.value } : { action: 'cancel' }
    }
    return onAnswer({ inputResponses, ...state })
  }

  return (
    <form
      onSubmit={submit}
      aria-label={text.questionTitle(serverName, tool)}
      className="mb-3 max-h-80 overflow-y-auto rounded-control border border-warning-line bg-warning-soft p-3"
    >
      <h3 className="font-strong break-words">{text.questionTitle(serverName, tool)}</h3>
      <p className="mt-1 text-small text-muted">{text.questionAbout}</p>
      {requests.map(([id, { params }]) => (
        <fieldset key={id} className="mt-3">
          <legend className="break-words whitespace-pre-wrap">{visible(String(params?.message ?? id))}</legend>
          <div className="mt-2 grid gap-3 sm:grid-cols-2">
            {fieldsOf(params?.requestedSchema ?? {}).map((field) => (
              <FieldInput
                key={field.name}
                field={field}
                value={values[id]?.[field.name] ?? ''}
                onChange={(value) => setValues({ ...values, [id]: { ...values[id], [field.name]: value } })}
              />
            ))}
          </div>
        </fieldset>
      ))}
      <p role="alert" className="text-danger not-empty:mt-2">
        {error}
      </p>
      <div className="mt-3 flex flex-wrap gap-2">
        <Button type="submit" size="small" look="primary">
          {text.answer}
        </Button>
        <Button size="small" onClick={decline}>
          {text.decliningAnswer}
        </Button>
      </div>
    </form>
  )
}
