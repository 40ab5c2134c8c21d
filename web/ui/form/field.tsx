import { clsx } from 'clsx'
import {
  type InputHTMLAttributes,
  type ReactNode,
  type Ref,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
} from 'react'
import { controlClass, selectClass } from './control-class.ts'

export interface FieldProps {
  label: string
  /** Only screen readers have the label. */
  hideLabel?: boolean | undefined
  hint?: ReactNode | undefined
  error?: string | null | undefined
}

interface ControlProps extends FieldProps {
  className?: string | undefined
  /** The control with the id of its label and the ARIA state of the note below it. */
  children: (control: {
    id: string
    'aria-invalid': true | undefined
    'aria-describedby': string | undefined
  }) => ReactNode
}

/** A label, its control, and a hint or error below. */
export function Control({ label, hideLabel, hint, error, className, children }: ControlProps) {
  const id = useId()
  const note = error || hint
  return (
    <div className={className}>
      <label htmlFor={id} className={hideLabel ? 'sr-only' : 'mb-1.5 block font-strong'}>
        {label}
      </label>
      {children({
        id,
        'aria-invalid': error ? true : undefined,
        'aria-describedby': note ? `${id}-note` : undefined,
      })}
      {note && (
        <p
          id={`${id}-note`}
          role={error ? 'alert' : undefined}
          className={clsx('mt-1.5', error ? 'text-danger' : 'text-muted')}
        >
          {note}
        </p>
      )}
    </div>
  )
}

/** A labeled text input with a hint, replaced by the error if there is one. */
export function TextField({
  label,
  hideLabel,
  hint,
  error,
  className,
  isCode = false,
  ...rest
}: FieldProps &
  InputHTMLAttributes<HTMLInputElement> & {
    ref?: Ref<HTMLInputElement>
    /** For a code that people compare letter by letter. */
    isCode?: boolean
  }) {
  return (
    <Control label={label} hideLabel={hideLabel} hint={hint} error={error} className={className}>
      {(control) => (
        <input
          {...rest}
          {...control}
          className={clsx(
            controlClass,
            'text-ellipsis read-only:border-transparent read-only:bg-transparent read-only:px-0',
            isCode && 'h-12 text-center font-mono text-prose tracking-[0.2em] uppercase',
          )}
        />
      )}
    </Control>
  )
}

/** A labeled text area for code-like text with a hint or an error. */
export function TextArea({
  label,
  hint,
  error,
  className,
  ...rest
}: FieldProps & TextareaHTMLAttributes<HTMLTextAreaElement>) {
  return (
    <Control label={label} hint={hint} error={error} className={className}>
      {(control) => (
        <textarea
          spellCheck={false}
          {...rest}
          {...control}
          className={clsx(controlClass, 'h-auto py-2 font-mono text-small')}
        />
      )}
    </Control>
  )
}

/** A labeled select; `hideLabel` keeps the label for screen readers only. */
export function SelectField({
  label,
  hideLabel,
  error,
  className,
  children,
  ...rest
}: Omit<FieldProps, 'hint'> & SelectHTMLAttributes<HTMLSelectElement>) {
  return (
    <Control label={label} hideLabel={hideLabel} error={error} className={className}>
      {(control) => (
        <select {...rest} {...control} className={selectClass}>
          {children}
        </select>
      )}
    </Control>
  )
}
