import { clsx } from 'clsx'
import { type InputHTMLAttributes, type ReactNode, useId } from 'react'
import { controlClass } from './field.tsx'

interface NumberFieldProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'type'> {
  label: string
  /** Stands in the field after the number. */
  unit: string
  hint?: ReactNode
  error?: string | null
  /** The button that saves the number, on the same line. */
  action?: ReactNode
}

/** A short number with its unit, a hint or what is wrong below, and the action beside it. */
export function NumberField({ label, unit, hint, error, action, ...rest }: NumberFieldProps) {
  const id = useId()
  return (
    <div>
      <label htmlFor={id} className="mb-1.5 block font-strong">
        {label}
      </label>
      <div className="flex gap-2">
        <div className="relative w-28">
          <input
            {...rest}
            id={id}
            type="number"
            inputMode="numeric"
            aria-invalid={error ? true : undefined}
            aria-describedby={`${id}-note`}
            className={clsx(controlClass, 'pr-8 figures')}
          />
          <span
            aria-hidden="true"
            className="pointer-events-none absolute inset-y-0 right-3 grid place-items-center text-muted"
          >
            {unit}
          </span>
        </div>
        {action}
      </div>
      <p
        id={`${id}-note`}
        role={error ? 'alert' : undefined}
        className={clsx('mt-1.5', error ? 'text-danger' : 'text-muted')}
      >
        {error || hint}
      </p>
    </div>
  )
}
