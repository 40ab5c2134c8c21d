import { type FormEvent, useMemo, useState } from 'react'
import { visible } from '../../../lib/visible.ts'
import { Button } from '../../../ui/button.tsx'
import { CopyTextButton } from '../../../ui/copy/copy-text-button.tsx'
import { SelectField, TextArea, TextField } from '../../../ui/form/field.tsx'
import { Play } from '../../../ui/icons/dashboard.ts'
import { Segments } from '../../../ui/segments.tsx'
import { tooltip } from '../../../ui/tooltip/tooltip.ts'
import { shareLink } from '../share-link.ts'
import { playgroundText as text } from '../text.ts'
import { type Field, fieldsOf } from './schema-fields.ts'
import { Snippets } from './snippets.tsx'
import { readArguments, valuesOf } from './tool-fields.ts'

interface ToolFormProps {
  tool: string
  schema: Record<string, unknown>
  /** The server's URL, for the same call as code. */
  endpoint: string | undefined
  busy: boolean
  /** In words. */
  price: string | null
  /** From a link. */
  initial: Record<string, unknown> | null
  onSubmit: (args: Record<string, unknown>) => void
}

const ways = [
  { value: 'form', label: 'Form' },
  { value: 'json', label: 'JSON' },
] as const

/** Arguments as a form generated from the schema, or as JSON for what the form cannot represent. */
export function ToolForm({ tool, schema, endpoint, busy, price, initial, onSubmit }: ToolFormProps) {
  const fields = useMemo(() => fieldsOf(schema), [schema])
  const [filled] = useState(() => (initial ? valuesOf(fields, initial) : {}))
  const [way, setWay] = useState<'form' | 'json'>(filled ? 'form' : 'json')
  const [values, setValues] = useState(filled ?? {})
  const [json, setJson] = useState(() => JSON.stringify(initial ?? {}, null, 2))
  const [error, setError] = useState<string | null>(null)

  const made = way === 'form' ? readArguments(fields, values) : readJson(json)

  /** Switching keeps all typed values. */
  const change = (next: 'form' | 'json') => {
    if (next === way) return
    if (!made.ok) return setError(made.error)
    if (next === 'json') setJson(JSON.stringify(made.value, null, 2))
    else {
      const next = valuesOf(fields, made.value)
      if (!next) return setError(text.formTooSmall)
      setValues(next)
    }
    setError(null)
    setWay(next)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setError(made.ok ? null : made.error)
    if (made.ok) onSubmit(made.value)
  }

  return (
    <form onSubmit={submit} className="mt-3 rounded-control border border-line bg-canvas p-3">
      <div className="flex">
        <Segments label="Argument format" look="frame" value={way} options={ways} onChange={change} />
      </div>
      {way === 'json' ? (
        <textarea
          aria-label="Arguments as JSON"
          rows={6}
          value={json}
          onChange={(event) => setJson(event.target.value)}
          className="mt-3 w-full rounded-control border border-line-strong bg-surface p-3 font-mono text-small"
        />
      ) : (
        <div className="mt-3 grid gap-3 sm:grid-cols-2">
          {fields.length === 0 && <p className="text-muted">This tool takes no arguments.</p>}
          {fields.map((field) => (
            <FieldInput
              key={field.name}
              field={field}
              value={values[field.name] ?? ''}
              onChange={(value) => setValues({ ...values, [field.name]: value })}
            />
          ))}
        </div>
      )}
      <p role="alert" className="text-danger not-empty:mt-2">
        {error}
      </p>
      <div className="mt-3 flex flex-wrap items-center gap-x-3 gap-y-2">
        <Button type="submit" look="primary" size="small" busy={busy}>
          {!busy && <Play aria-hidden="true" className="size-4" />}
          {text.run}
        </Button>
        {price !== null && <span className="figures text-muted">{text.costs(price)}</span>}
        {made.ok && (
          <CopyTextButton
            size="small"
            look="quiet"
            className="ml-auto"
            value={shareLink(location.origin, { tab: 'tools', tool, args: made.value })}
            label={text.copyLink}
            done={text.linkCopied}
            {...tooltip(text.copyLinkAbout)}
          />
        )}
      </div>
      {endpoint !== undefined && <Snippets endpoint={endpoint} tool={tool} args={made.ok ? made.value : {}} />}
    </form>
  )
}

/** One input of a generated form. */
export function FieldInput({
  field,
  value,
  onChange,
}: {
  field: Field
  value: string
  onChange: (value: string) => void
}) {
  const label = `${visible(field.name)}${field.required ? ' (required)' : ''}`
  if (field.choices)
    return (
      <SelectField label={label} value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">{field.standard === undefined ? 'Not set' : `Default: ${field.standard}`}</option>
        {field.choices.map(({ text: choice }) => (
          <option key={choice}>{choice}</option>
        ))}
      </SelectField>
    )
  const placeholder = field.standard === undefined ? field.hint : `Default: ${field.standard}`
  if (field.kind === 'json')
    return (
      <TextArea
        label={label}
        value={value}
        placeholder={placeholder}
        hint={field.about}
        rows={3}
        onChange={(event) => onChange(event.target.value)}
      />
    )
  return (
    <TextField
      label={label}
      value={value}
      placeholder={placeholder}
      hint={field.about}
      inputMode={field.kind === 'number' || field.kind === 'integer' ? 'decimal' : undefined}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}

function readJson(text: string): ReturnType<typeof readArguments> {
  try {
    const value = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ok: true, value }
    return { ok: false, error: 'The arguments must be a JSON object, such as {"symbol": "VIX"}.' }
  } catch (error) {
    return { ok: false, error: `This is not valid JSON: ${error instanceof Error ? error.message : ''}` }
  }
}
