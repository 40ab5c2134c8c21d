import type { KeyboardEvent, Ref } from 'react'
import { visible } from '../../../../lib/visible.ts'
import { playgroundText as text } from '../../text.ts'
import { chipClass } from '../suggestions/suggestion-chips.tsx'
import type { Listed } from './look-up.ts'

interface SymbolMatchesProps {
  ref: Ref<HTMLUListElement>
  matches: readonly Listed[]
  onChoose: (symbol: string) => void
  /** Returns the focus to the text. */
  onLeave: () => void
}

const maxShown = 5

/** Symbols that match what is being typed. The arrow keys move between them, Escape returns to the text. */
export function SymbolMatches({ ref, matches, onChoose, onLeave }: SymbolMatchesProps) {
  const onKeyDown = (event: KeyboardEvent<HTMLUListElement>) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key]
    if (event.key === 'Escape') onLeave()
    if (step === undefined) return
    event.preventDefault()
    const buttons = [...event.currentTarget.querySelectorAll('button')]
    buttons.at((buttons.indexOf(event.target as HTMLButtonElement) + step) % buttons.length)?.focus()
  }
  return (
    <>
      <p role="status" className="sr-only">
        {matches.length > 0 && text.matchCount(Math.min(maxShown, matches.length))}
      </p>
      {matches.length > 0 && (
        <ul ref={ref} aria-label={text.matches} onKeyDown={onKeyDown} className="mb-2 flex flex-wrap gap-1.5">
          {matches.slice(0, maxShown).map(({ symbol, name, last }) => (
            <li key={symbol} className="max-w-full">
              <button type="button" className={chipClass} onClick={() => onChoose(symbol)}>
                <code className="font-mono text-small">{visible(symbol)}</code>
                <span className="max-w-56 truncate text-small text-muted">{visible(name ?? '')}</span>
                <span className="text-small whitespace-nowrap figures text-muted">{text.until(last.slice(0, 7))}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
