import type { ReactNode } from 'react'

/** What an act does, in numbers, before it happens. */
export function Effect({ facts }: { facts: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl
      aria-label="Effect"
      className="grid grid-cols-[1fr_auto] gap-x-4 gap-y-1 rounded-control bg-sunken px-3 py-2 figures"
    >
      {facts.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-muted">{name}</dt>
          <dd className="text-right">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** A whole number of at least `least` in a field, or null. */
export function wholeNumber(text: string, least = 1): number | null {
  const value = Number(text.trim())
  return text.trim() !== '' && Number.isSafeInteger(value) && value >= least ? value : null
}
