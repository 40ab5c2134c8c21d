import { clsx } from 'clsx'
import { visible } from '../../../../lib/visible.ts'
import { playgroundText as text } from '../../text.ts'
import type { Suggestion } from './suggestions.ts'

export const chipClass =
  'inline-flex min-h-8 max-w-full items-center gap-2 rounded-full border border-line-strong bg-surface px-3 py-1 text-left transition-colors duration-150 hover:bg-hover pointer-coarse:min-h-11'

interface SuggestionChipsProps {
  /** Names the group for screen readers. */
  label: string
  suggestions: readonly Suggestion[]
  priceOf: (suggestion: Suggestion) => string | null
  onChoose: (suggestion: Suggestion) => void
  className?: string
}

/** Messages to send with one press, each with its price. */
export function SuggestionChips({ label, suggestions, priceOf, onChoose, className }: SuggestionChipsProps) {
  if (suggestions.length === 0) return null
  return (
    <ul aria-label={label} className={clsx('flex flex-wrap gap-2', className)}>
      {suggestions.map((one) => {
        const facts = [one.sample && text.sample, one.form ? text.opensForm : priceOf(one)].filter(Boolean).join(', ')
        return (
          <li key={one.line} className="max-w-full">
            <button type="button" className={chipClass} onClick={() => onChoose(one)}>
              <span className="min-w-0 break-words">{visible(one.label ?? one.line)}</span>
              {facts && <span className="text-small whitespace-nowrap figures text-muted">{facts}</span>}
            </button>
          </li>
        )
      })}
    </ul>
  )
}
