import { playgroundText as text } from '../../text.ts'
import { chipClass, SuggestionChips } from './suggestion-chips.tsx'
import type { PublishedSymbol, Suggestion } from './suggestions.ts'

interface WelcomeProps {
  ideas: readonly Suggestion[]
  symbols: readonly PublishedSymbol[]
  priceOf: (suggestion: Suggestion) => string | null
  onChoose: (suggestion: Suggestion) => void
  onSymbol: (symbol: string) => void
}

const maxSymbols = 8

/** Suggestions for an empty chat, based on the data that this server has. */
export function Welcome({ ideas, symbols, priceOf, onChoose, onSymbol }: WelcomeProps) {
  if (ideas.length === 0 && symbols.length === 0) return null
  return (
    <section aria-label={text.welcomeTitle} className="mx-auto w-full max-w-[45rem] py-4">
      <h3 className="text-prose font-strong">{text.welcomeTitle}</h3>
      <p className="mt-0.5 text-muted">{symbols.length > 0 ? text.welcomeAbout : text.welcomeTools}</p>
      <SuggestionChips
        label={text.suggestions}
        suggestions={ideas}
        priceOf={priceOf}
        onChoose={onChoose}
        className="mt-3"
      />
      {symbols.length > 0 && (
        <>
          <h4 className="mt-4 text-small font-strong text-muted">{text.symbolsTitle}</h4>
          <ul
            aria-label={text.symbolsTitle}
            className="scroll-hint mt-2 flex gap-2 max-sm:-mr-4 max-sm:overflow-x-auto sm:flex-wrap"
          >
            {symbols.slice(0, maxSymbols).map(({ symbol, sample }) => (
              <li key={symbol} className="shrink-0">
                <button type="button" className={chipClass} onClick={() => onSymbol(symbol)}>
                  <code className="font-mono text-small">{symbol}</code>
                  {sample && <span className="text-small text-muted">{text.sample}</span>}
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  )
}
