import { type Answer, sendCall } from '../answer/send-call.ts'
import type { Choice } from './choices.ts'

const DEMO_KEY = 'demo'

/** Makes a call with the demo key. Throws if there is no response, or if `signal` ends it. */
export const ask = (choice: Choice, signal: AbortSignal): Promise<Answer> => sendCall(choice, DEMO_KEY, signal)

/** The call for the best match of a visitor's words, or null. The search is free. Throws like `ask`. */
export async function find(query: string, signal: AbortSignal): Promise<Choice | null> {
  const { body } = await sendCall({ path: `/v1/symbols?q=${encodeURIComponent(query)}&limit=1` }, DEMO_KEY, signal)
  const [found] = (body as { data?: Found[] } | null)?.data ?? []
  return found ? choiceOf(found) : null
}

interface Found {
  symbol: string
  name: string | null
  held: string
}

/** The call that shows most of a search result: its series, its bars, its statements, or what is known of it. */
function choiceOf({ symbol, name, held }: Found): Choice {
  const label = name ?? symbol
  const inPath = encodeURIComponent(symbol)
  if (held === 'series')
    return {
      label,
      path: `/v1/series/${inPath}?range=5y`,
      tool: 'get_economic_series',
      arguments: { series_id: symbol, range: '5y' },
    }
  if (held.startsWith('bars'))
    return { label, path: `/v1/bars/${inPath}?range=1y`, tool: 'get_bars', arguments: { symbol, range: '1y' } }
  if (held.includes('statements'))
    return { label, path: `/v1/financials/${inPath}`, tool: 'get_financials', arguments: { symbol } }
  return { label, path: `/v1/symbols/${inPath}`, tool: 'get_company', arguments: { symbol } }
}
