import type { Parsed, PlanState, SourceRequest } from './connector.ts'
import { type Actions, isNeeded, learnsOf, type Span, spansOf } from './daily-bars.ts'

interface Urls {
  splits: (symbol: string) => string
  dividends: (symbol: string) => string
  prices: (symbol: string, span: Span) => string
}

const kinds = ['splits', 'dividends'] as const

/**
 * Requests to a vendor that has splits and dividends in lists of their own: these first, then the prices that they belong to.
 * `about` has `actions` (splits, dividends) for the lists; for prices the days, and the actions as JSON in `known`.
 */
export function planWithActions(
  state: PlanState,
  symbols: readonly string[],
  urls: Urls,
  headers?: Record<string, string>,
): SourceRequest[] {
  const { learned, today } = state
  const request = { optional: 'missing' as const, ...(headers && { headers }) }
  return symbols.flatMap((symbol) => {
    const lists = kinds.map((kind) => ({
      ...request,
      part: `${symbol}_0-${kind}`,
      url: urls[kind](symbol),
      about: { symbol, actions: kind, today },
      // A vendor that knows no such list knows no splits of it either.
      learnsIfMissing: { [`${kind} ${symbol}`]: JSON.stringify({ today, days: {} }) },
    }))
    const actions = knownToday(symbol, learned, today)
    if (!actions) return lists
    const spans = spansOf(symbol, state).filter((span) => isNeeded(span, state, actions))
    return [
      ...lists,
      ...spans.map((span) => ({
        ...request,
        part: span.part,
        url: urls.prices(symbol, span),
        about: { symbol, from: span.from, to: span.to, before: span.before, known: JSON.stringify(actions) },
        learns: learnsOf(span, actions),
      })),
    ]
  })
}

/** What was learned of splits and dividends in this run; null before. */
function knownToday(symbol: string, learned: PlanState['learned'], today: string): Actions | null {
  const [splits, dividends] = kinds.map((kind) => {
    const found = JSON.parse(learned[`${kind} ${symbol}`] ?? 'null') as {
      today: string
      days: Actions['splits']
    } | null
    return found?.today === today ? found.days : null
  })
  return splits && dividends ? { splits, dividends } : null
}

type Listed = readonly (readonly [day: string, value: number])[]

interface Readers {
  splits: (symbol: string) => Listed
  dividends: (symbol: string) => Listed
  prices: (symbol: string) => Parsed
}

/** Reads the answer to a request of `planWithActions`. */
export function parseByKind(request: SourceRequest, read: Readers): Parsed {
  const { actions, symbol } = request.about!
  const kind = kinds.find((one) => one === actions)
  return kind ? actionsOf(request, read[kind](symbol!)) : read.prices(symbol!)
}

/** A list of splits or dividends as it is kept. Two of one day count together. */
function actionsOf({ about }: SourceRequest, list: Listed): Parsed {
  const { symbol, actions, today } = about!
  const days: Record<string, number> = {}
  for (const [day, value] of list)
    days[day] = days[day] === undefined ? value : actions === 'splits' ? days[day] * value : days[day] + value
  return { rows: {}, learned: { [`${actions} ${symbol}`]: JSON.stringify({ today, days }) } }
}
