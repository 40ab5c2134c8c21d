import { clsx } from 'clsx'
import type { InputHTMLAttributes, ReactNode } from 'react'
import { controlClass } from './control-class.ts'
import { Control, type FieldProps } from './field.tsx'

interface NumberFieldProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'type'>, FieldProps {
  /** The unit, shown after the number. */
  unit: string
  /** The save button, on the same line. */
  action?: ReactNode
}

/** A short number with its unit, an action next to it, and a hint or error below. */
export function NumberField({ label, unit, hint, error, action, ...rest }: NumberFieldProps) {
  return (
    <Control label={label} hint={hint} error={error}>
      {(control) => (
        <div className="flex gap-2">
          <div className="relative w-28">
            <input
              {...rest}
              {...control}
              type="number"
              inputMode="numeric"
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
      )}
    </Control>
  )
}
