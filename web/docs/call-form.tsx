import { buttonClass } from '../ui/button.tsx'
import { controlClass } from '../ui/form/control-class.ts'
import { Html } from './html.tsx'
import { type CallField, type DocsCall, ORIGIN } from './page.ts'

/** The parameters of a call as a form with the example in it. Without a script, only their descriptions are shown. */
export function CallForm({ tool, method, path, bodyInput, fields }: DocsCall) {
  return (
    <form
      id="call"
      data-tool={tool}
      data-method={method}
      data-path={path}
      data-body={bodyInput}
      data-origin={ORIGIN}
      className="docs-form"
    >
      {fields.length === 0 && <p>None.</p>}
      {fields.map((field) => (
        <Field key={field.name} field={field} />
      ))}
      {fields.length > 0 && (
        <button type="reset" className={buttonClass({ look: 'quiet', size: 'small', className: 'mt-2' })}>
          Reset to the example
        </button>
      )}
    </form>
  )
}

function Field({ field }: { field: CallField }) {
  const { name, place, isRequired, fallback } = field
  const id = `call-${name}`
  return (
    <div className="docs-field">
      <p className="flex flex-wrap items-baseline gap-x-2">
        <label htmlFor={id}>
          <code>{name}</code>
        </label>
        <span className="text-small text-muted">
          {place}, {isRequired ? 'required' : fallback === null ? 'optional' : `default ${fallback || 'none'}`}
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
    defaultValue: example,
  }
  if (choices)
    return (
      <select {...shared} className={`${controlClass} select`}>
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
      placeholder={fallback ?? (kind === 'date' ? 'YYYY-MM-DD' : undefined)}
      autoComplete="off"
      spellCheck={false}
      className={controlClass}
    />
  )
}
