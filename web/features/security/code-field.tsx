import { TextField } from '../../ui/field.tsx'
import { securityText as text } from './text.ts'

interface CodeFieldProps {
  value: string
  onChange: (code: string) => void
  error: string | null
  hint?: string
}

/** Six digits of a one-time code; spaces, as applications show them, are left out. */
export function CodeField({ value, onChange, error, hint = text.codeHint }: CodeFieldProps) {
  return (
    <TextField
      label={text.code}
      hint={hint}
      error={error}
      inputMode="numeric"
      autoComplete="one-time-code"
      autoFocus
      maxLength={7}
      value={value}
      onChange={(event) => onChange(event.target.value.replaceAll(/\D/g, '').slice(0, 6))}
      className="tabular-nums"
    />
  )
}
