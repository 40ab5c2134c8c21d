import { useEffect, useRef } from 'react'
import { TextField } from '../../ui/field.tsx'
import { securityText as text } from './text.ts'

interface CodeFieldProps {
  value: string
  onChange: (code: string) => void
  error: string | null
  hint?: string
  label?: string
  autoFocus?: boolean
}

/** Six digits of a one-time code; spaces, as applications show them, are left out. */
export function CodeField({
  value,
  onChange,
  error,
  hint = text.codeHint,
  label = text.code,
  autoFocus = true,
}: CodeFieldProps) {
  const input = useRef<HTMLInputElement>(null)
  // What was refused is typed anew.
  useEffect(() => {
    if (error && autoFocus) input.current?.focus()
  }, [error, autoFocus])
  return (
    <TextField
      ref={input}
      label={label}
      hint={hint}
      error={error}
      inputMode="numeric"
      autoComplete="one-time-code"
      autoFocus={autoFocus}
      maxLength={7}
      value={value}
      onChange={(event) => onChange(event.target.value.replaceAll(/\D/g, '').slice(0, 6))}
      className="tabular-nums"
    />
  )
}
