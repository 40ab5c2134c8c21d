import { useEffect, useRef } from 'react'
import { TextField } from './field.tsx'

interface CodeFieldProps {
  value: string
  onChange: (code: string) => void
  error: string | null
  hint?: string
  label?: string
  autoFocus?: boolean
}

/** A six-digit one-time code; spaces, as apps show them, are removed. */
export function CodeField({
  value,
  onChange,
  error,
  hint = '6 digits, a new code every 30 seconds.',
  label = 'Code',
  autoFocus = true,
}: CodeFieldProps) {
  const input = useRef<HTMLInputElement>(null)
  // Clear a rejected code.
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
