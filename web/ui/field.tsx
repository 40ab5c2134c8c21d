import { clsx } from 'clsx'
import { type InputHTMLAttributes, type ReactNode, type Ref, type SelectHTMLAttributes, useId } from 'react'

export const controlClass =
  'h-9 w-full rounded-control border border-line-strong bg-surface px-3 text-body text-ink placeholder:text-mark disabled:bg-sunken disabled:text-muted aria-invalid:border-danger pointer-coarse:h-11 pointer-coarse:text-prose'

interface FieldProps {
  label: string
  hint?: ReactNode
  error?: string | null
}

/** A labelled text input with a hint or, in its place, what is wrong. */
export function TextField({
  label,
  hint,
  error,
  className,
  ...rest
}: FieldProps & InputHTMLAttributes<HTMLInputElement> & { ref?: Ref<HTMLInputElement> }) {
  const id = useId()
  return (
    <div className={className}>
      <label htmlFor={id} className="mb-1.5 block font-strong">
        {label}
      </label>
      <input
        {...rest}
        id={id}
        aria-invalid={error ? true : undefined}
        aria-describedby={error || hint ? `${id}-note` : undefined}
        className={clsx(controlClass, 'text-ellipsis read-only:bg-sunken')}
      />
      {(error || hint) && (
        <p
          id={`${id}-note`}
          role={error ? 'alert' : undefined}
          className={clsx('mt-1.5', error ? 'text-danger' : 'text-muted')}
        >
          {error || hint}
        </p>
      )}
    </div>
  )
}

/** A labelled native select; `hideLabel` keeps the label for screen readers only. */
export function SelectField({
  label,
  hideLabel,
  className,
  children,
  ...rest
}: { label: string; hideLabel?: boolean } & SelectHTMLAttributes<HTMLSelectElement>) {
  const id = useId()
  return (
    <div className={className}>
      <label htmlFor={id} className={hideLabel ? 'sr-only' : 'mb-1.5 block font-strong'}>
        {label}
      </label>
      <select {...rest} id={id} className={controlClass}>
        {children}
      </select>
    </div>
  )
}
