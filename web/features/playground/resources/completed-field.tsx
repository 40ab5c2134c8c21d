import { useEffect, useId, useRef, useState } from 'react'
import type { CompletionRequest } from '#contract/playground.ts'
import { TextField } from '../../../ui/form/field.tsx'
import { playgroundApi } from '../playground-api.ts'

const pauseMs = 250

interface CompletedFieldProps {
  label: string
  hint: string | undefined
  value: string
  onChange: (value: string) => void
  /** Absent if the server suggests nothing. */
  question: { server: string; ref: CompletionRequest['ref']; name: string; given: Record<string, string> } | undefined
}

/** A text input with the server's suggestions for the typed text. */
export function CompletedField({ label, hint, value, onChange, question }: CompletedFieldProps) {
  const listId = useId()
  const [proposed, setProposed] = useState<string[]>([])
  const [touched, setTouched] = useState(false)
  const latest = useRef(question)
  latest.current = question
  useEffect(() => {
    const asked = latest.current
    if (!touched || !asked) return
    let current = true
    const timer = setTimeout(() => {
      const { server, ref, name, given } = asked
      const { [name]: _, ...others } = given
      playgroundApi.complete(server, { ref, argument: { name, value }, given: others }).then(
        (values) => current && setProposed(values),
        // Failed suggestions must not block typing.
        () => {},
      )
    }, pauseMs)
    return () => {
      current = false
      clearTimeout(timer)
    }
  }, [touched, value])
  return (
    <>
      <TextField
        label={label}
        hint={hint}
        value={value}
        list={listId}
        autoComplete="off"
        onFocus={() => setTouched(true)}
        onChange={(event) => onChange(event.target.value)}
      />
      <datalist id={listId}>
        {proposed.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
    </>
  )
}
