import { useState } from 'react'

/** The text of a field, and what is wrong with it until it changes. `fail` says so and returns null. */
export function useText(initial = '') {
  const [value, setValue] = useState(initial)
  const [error, setError] = useState<string | null>(null)
  const set = (next: string) => {
    setValue(next)
    setError(null)
  }
  const fail = (problem: string): null => {
    setError(problem)
    return null
  }
  const field = { value, error, onChange: ({ target }: { target: { value: string } }) => set(target.value) }
  return { value, set, fail, field }
}
