import type { Listed } from '../look-up/look-up.ts'
import type { Call, Intent } from './grammar.ts'
import { knownName } from './known-names.ts'
import { monthsBefore, type Period, yearsOf } from './period.ts'

/** The calls that respond to a question. `compared`: their results belong in one comparison. */
export interface Plan {
  calls: Call[]
  compared?: true
}

type Find = (query: string) => Promise<readonly Listed[]>

const MONTHLY_YEARS = 60
const DAILY_YEARS = 5
/** Enough for any of the periods below; the server returns at most about 20,000 tokens. */
const LIMIT = 2000
const candleColumns = ['date', 'open', 'high', 'low', 'close', 'volume']
const CAPITALS = /^\^?[A-Z0-9][A-Z0-9./=-]+$/
/** The search gives this to an alias, and more to the symbol. */
const ALIAS_SCORE = 0.95
/** A name of this form may be a symbol that the server does not have; its refusal then explains that. */
const SYMBOL_LIKE = /^\^?[\p{L}\p{N}./=-]{1,15}$/u

/** Looks up the names in a question and chooses the cheapest sufficient calls; null if a name has no match. */
export async function planCalls(intent: Intent, find: Find): Promise<Plan | null> {
  if (intent.kind === 'call') return { calls: [intent.call] }
  if (intent.kind === 'compare') return planComparison(intent, find)
  const { name } = intent
  const found = await resolve(name, find)
  // The server's own refusal names similar symbols.
  if (!found && !SYMBOL_LIKE.test(name)) return null
  const symbol = found?.symbol ?? name.toUpperCase()
  switch (intent.kind) {
    case 'price':
      if (found?.type === 'series')
        return { calls: [seriesCall(found, intent.on ? { from: monthsBefore(intent.on, 12), to: intent.on } : {})] }
      return { calls: [{ tool: 'get_quote', arguments: { symbols: [symbol], ...(intent.on && { on: intent.on }) } }] }
    case 'history':
      return { calls: [historyCall(found, symbol, intent)] }
    case 'company':
      return { calls: [{ tool: 'get_company', arguments: { symbol } }] }
    case 'financials':
      return { calls: [{ tool: 'get_financials', arguments: { symbol, statement: 'income' } }] }
    case 'actions':
      return { calls: [{ tool: 'get_corporate_actions', arguments: { symbol, type: intent.type } }] }
  }
}

async function planComparison(
  { names, period, chart }: Extract<Intent, { kind: 'compare' }>,
  find: Find,
): Promise<Plan | null> {
  const found = await Promise.all(names.map((name) => resolve(name, find)))
  if (found.some((one, index) => !one && !SYMBOL_LIKE.test(names[index]!))) return null
  const symbols = found.map((one, index) => one?.symbol ?? names[index]!.toUpperCase())
  const asSeries = found.some((one) => one?.type === 'series')
  if (!asSeries && !chart) {
    const last = found.map((one) => one?.last ?? '').sort()[0]
    return { calls: [{ tool: 'summarize_prices', arguments: { symbols, ...windowOf(period, last, barRanges) } }] }
  }
  // The shared period ends where the first of them ends.
  const end = found.map((one) => one?.last ?? '9999').sort()[0]!
  const shared = sharedPeriod(period ?? { months: 12 }, end)
  return {
    compared: true,
    calls: found.map((one, index) => historyCall(one, symbols[index]!, { period: shared })),
  }
}

const sharedPeriod = (period: Period, end: string): Period =>
  period.months === undefined ? period : { from: monthsBefore(end, period.months), to: end }

/** The symbol itself if it is listed, else the best match. CAT never means a name that only begins with it. */
async function resolve(name: string, find: Find): Promise<Listed | null> {
  const known = knownName(name)
  const strict = CAPITALS.test(name)
  for (const query of known ? [known.symbol, name] : [name]) {
    const found = (await find(query)).filter(({ score }) => !strict || score >= ALIAS_SCORE)
    const exact = found.find(({ symbol }) => symbol === query.toUpperCase())
    if (exact ?? found[0]) return exact ?? found[0]!
  }
  return null
}

function historyCall(
  found: Listed | null,
  symbol: string,
  { name, period, candles }: { name?: string; period?: Period; candles?: true },
): Call {
  if (found?.type === 'series') return seriesCall(found, period ?? {}, knownName(name ?? '')?.units)
  const years = period ? yearsOf(period, found?.first ?? '1980-01-01', found?.last ?? '2030-01-01') : 1
  return {
    tool: 'get_bars',
    arguments: {
      symbol,
      interval: years <= 1.1 ? '1d' : years <= 10 ? '1w' : '1mo',
      ...windowOf(period ?? { months: 12 }, found?.last, barRanges),
      ...(candles && { columns: candleColumns }),
      limit: 1000,
    },
  }
}

function seriesCall(found: Listed, period: Period, units?: 'yoy'): Call {
  // A month is dated by its first day.
  const monthly = found.first.endsWith('-01') && found.last.endsWith('-01')
  const wanted: Period = Object.keys(period).length > 0 ? period : { months: units || monthly ? 60 : 12 }
  const years = yearsOf(wanted, found.first, found.last)
  const coarser = monthly ? years > MONTHLY_YEARS && 'annual' : years > DAILY_YEARS && 'quarterly'
  return {
    tool: 'get_economic_series',
    arguments: {
      series_id: found.symbol,
      ...(units && { units }),
      ...windowOf(wanted, found.last, seriesRanges),
      ...(coarser && { frequency: coarser }),
      limit: LIMIT,
    },
  }
}

const barRanges: Record<number, string> = { 1: '1mo', 3: '3mo', 6: '6mo', 12: '1y', 60: '5y' }
const seriesRanges: Record<number, string> = { ...barRanges, 120: '10y', 240: '20y' }

/** The period as arguments: a named range if the tool has it, else dates. */
function windowOf(period: Period | undefined, last: string | undefined, ranges: Record<number, string>) {
  if (!period) return {}
  const { from, to, months, all } = period
  if (all) return { range: 'max' }
  if (months === undefined) return { ...(from && { from }), ...(to && { to }) }
  const range = ranges[months]
  return range ? { range } : last ? { from: monthsBefore(last, months) } : { range: '1y' }
}
