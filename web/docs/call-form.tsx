import { controlClass, selectClass } from '../ui/form/control-class.ts'
import { Html } from './html.tsx'
import { type CallField, type DocsCall, ORIGIN } from './page.ts'

/** Longer forms show what a call needs, and the rest below its response. */
const MOST_TOGETHER = 4

/** The fields that a call needs or its example fills, and the others. */
export function dividedFields(fields: readonly CallField[]): { first: CallField[]; more: CallField[] } {
  const isFirst = ({ isRequired, example }: CallField) => isRequired || example !== ''
  const isShort = fields.length <= MOST_TOGETHER || !fields.some(isFirst)
  return {
    first: fields.filter((field) => isShort || isFirst(field)),
    more: fields.filter((field) => !isShort && !isFirst(field)),
  }
}

/** What its parts outside read the call from. */
const formOf = ({ tool, method, path, bodyInput }: DocsCall) => ({
  id: 'call',
  'data-tool': tool,
  'data-method': method,
  'data-path': path,
  'data-body': bodyInput,
  'data-origin': ORIGIN,
})

/** The parameters of a call as a form with the example in it. Without a script, only their descriptions are shown. */
export function CallForm(call: DocsCall) {
  const { first } = dividedFields(call.fields)
  return (
    <form {...formOf(call)} className="docs-form">
      {first.length === 0 && <p>None.</p>}
      {first.map((field) => (
        <Field key={field.name} field={field} />
      ))}
    </form>
  )
}

/** The example of a call, which cannot be changed. */
export const HiddenForm = (call: DocsCall) => (
  <form {...formOf(call)} hidden>
    {call.fields.map(({ name, place, kind, example }) => (
      <input key={name} type="hidden" name={name} data-place={place} data-kind={kind} defaultValue={example} />
    ))}
  </form>
)

/** The parameters that a call can do without. */
export function MoreFields({ fields }: Pick<DocsCall, 'fields'>) {
  const { more } = dividedFields(fields)
  if (more.length === 0) return null
  return (
    <section className="docs-prose">
      <h2 id="optional-parameters">
        <a href="#optional-parameters">Optional parameters</a>
      </h2>
      <div className="docs-form">
        {more.map((field) => (
          <Field key={field.name} field={field} />
        ))}
      </div>
    </section>
  )
}

function Field({ field }: { field: CallField }) {
  const { name, place, isRequired, fallback, choices } = field
  const id = `call-${name}`
  const only = choices?.length === 1 ? choices[0] : undefined
  const need = isRequired ? 'required' : fallback === null ? 'optional' : `default ${fallback || 'none'}`
  return (
    <div className="docs-field">
      <p className="flex flex-wrap items-baseline gap-x-2">
        {only === undefined ? (
          <label htmlFor={id}>
            <code>{name}</code>
          </label>
        ) : (
          <span>
            <code>{name}</code>
          </span>
        )}
        <span className="text-small text-muted">
          {only === undefined ? `${place}, ${need}` : `${place}, always ${only}`}
        </span>
      </p>
      <Html as="p" id={`${id}-about`} className="text-body text-muted" html={field.aboutHtml} />
      <Control id={id} field={field} />
    </div>
  )
}

function Control({ id, field }: { id: string; field: CallField }) {
  const { name, place, kind, isRequired, choices, fallback, example } = field
  const shared = {
    id,
    name,
    required: isRequired,
    'data-place': place,
    'data-kind': kind,
    'aria-describedby': `${id}-about`,
    form: 'call',
    defaultValue: example,
  }
  // A list with one entry is no choice.
  if (choices?.length === 1)
    return isRequired || example !== '' ? (
      <input {...shared} id={undefined} type="hidden" defaultValue={choices[0]} />
    ) : null
  if (choices)
    return (
      <select {...shared} className={selectClass}>
        {(!isRequired || example === '') && <option value="">{fallback ? `Default (${fallback})` : 'Not set'}</option>}
        {choices.map((choice) => (
          <option key={choice}>{choice}</option>
        ))}
      </select>
    )
  if (kind === 'json')
    return (
      <textarea
        {...shared}
        rows={3}
        spellCheck={false}
        className={`${controlClass} h-auto py-2 font-mono text-small`}
      />
    )
  return (
    <input
      {...shared}
      type="text"
      inputMode={kind === 'number' ? 'decimal' : undefined}
      placeholder={fallback ? `Default: ${fallback}` : kind === 'date' ? 'YYYY-MM-DD' : undefined}
      autoComplete="off"
      spellCheck={false}
      className={controlClass}
    />
  )
}
