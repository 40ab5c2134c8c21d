import type { Listed } from '../look-up/look-up.ts'
import { type Find, findNames, type Named } from './find-names.ts'
import type { Call, Command, Question } from './parse-command.ts'
import { daysBefore, monthsBefore, type Period, yearsOf } from './period.ts'
import { steps } from './words.ts'

/** The calls that respond to a question. */
export interface Plan {
  /** None if a word is left out. */
  calls: Call[]
  /** Their results belong in one comparison. */
  compared?: true
  /** Words of the question that have no meaning here. */
  leftOut: string[]
  /** The calls for the question without these words, to be offered. */
  instead: Call[]
  /** What these words may have meant. */
  near: Listed[]
  /** Has no data in the period; then there are no calls. */
  outside?: Listed
}

const MONTHLY_YEARS = 60
const DAILY_YEARS = 5
/** Enough for any of the periods below; the server returns at most about 20,000 tokens. */
const LIMIT = 2000
const MAX_STATEMENTS = 20
const candleColumns = ['date', 'open', 'high', 'low', 'close', 'volume']

/** The dates of a company's yearly statements; null if nobody knows. */
export type FindReports = (symbol: string) => Promise<readonly string[] | null>

/**
 * Looks up the names in a question and chooses the cheapest sufficient calls: none if it is about nothing that is known. Years
 * of statements are looked up, too: `get_financials` would charge for older ones.
 */
export async function planCalls(command: Command, find: Find, findReports: FindReports): Promise<Plan> {
  const none: Plan = { calls: [], leftOut: [], instead: [], near: [] }
  if (command.kind === 'call') return { ...none, calls: [command.call] }
  if (command.kind !== 'question') return none
  const { question } = command
  if (question.call) return unlessLeftOut({ ...none, calls: [question.call], leftOut: question.leftOut })
  const { found: all, leftOut: unread, near } = await findNames(question.names, find)
  const leftOut = [...question.leftOut, ...unread]
  // Alone, an unknown symbol is refused for free; among others it would be missing from an answer that is charged.
  const alone = all.length === 1 && leftOut.length === 0
  const found = all.filter(({ listed }) => listed || alone)
  leftOut.push(...all.filter((one) => !found.includes(one)).map(({ symbol }) => symbol))
  if (found.length === 0) return { ...none, leftOut, near }
  const dated = await Promise.all(found.map((one) => withReports(one, question, findReports)))
  const outside = dated.find(({ listed, reports }) => listed && isOutside(question, listed, reports))
  if (outside) return { ...none, leftOut, near, outside: rangeOf(outside) }
  const ignored: string[] = []
  const made = callsFor(question, dated, ignored)
  return unlessLeftOut({ ...none, ...made, leftOut: [...leftOut, ...ignored], near })
}

const unlessLeftOut = (plan: Plan): Plan =>
  plan.leftOut.length === 0 ? plan : { ...plan, calls: [], instead: plan.calls }

/** A name with the dates of its statements, if the question asks for some of them. */
interface Dated extends Named {
  reports?: readonly string[] | null
}

async function withReports(named: Named, { topic, period }: Question, findReports: FindReports): Promise<Dated> {
  const asks = topic === 'financials' && (period?.from ?? period?.to) !== undefined
  return asks && named.listed ? { ...named, reports: await findReports(named.symbol) } : named
}

const within = (reports: readonly string[], { from = '', to = '9999' }: Period): readonly string[] =>
  reports.filter((end) => end >= from && end <= to)

/** What is known of its dates: those of statements, if they were asked for. */
function rangeOf({ listed, reports }: Dated): Listed {
  const [first, ...later] = (reports ?? []).toSorted()
  return { ...listed!, ...(first !== undefined && { first, last: later.at(-1) ?? first }) }
}

/** The dates of a stock with prices are not those of its statements. */
function isOutside({ topic, period, on }: Question, listed: Listed, reports?: readonly string[] | null): boolean {
  const { held, first, last } = listed
  if (topic === 'company') return false
  if (topic === 'financials' && reports && period) return within(reports, period).length === 0
  if (topic === 'financials' && held !== 'statements') return false
  // The last value before a day is an answer if it is not much older; months are published weeks after their first day.
  const from = on ? daysBefore(on, isMonthly(listed) ? 92 : 7) : (period?.from ?? '')
  return from > last || (on ?? period?.to ?? '9999') < first
}

/** The calls; what they cannot use goes to `ignored`. */
function callsFor(question: Question, names: Dated[], ignored: string[]): Pick<Plan, 'calls' | 'compared'> {
  const { topic, period, periodText, on, onText, step, type } = question
  const isHistory = topic === 'history' || topic === 'candles'
  const asSeries = names.some(({ listed }) => listed?.type === 'series')
  const over = period ?? (on && (isHistory || topic === 'compare') ? { from: on, to: on } : undefined)
  if (topic === 'financials') {
    if (onText) ignored.push(onText)
    return { calls: names.map((one) => statementCall(one, question, ignored)) }
  }
  if (topic === 'actions') {
    if (onText) ignored.push(onText)
    if (step) ignored.push(step)
    const to = (last: string | undefined) => (period ? windowOf(period, last, {}) : {})
    return {
      calls: names.map(({ symbol, listed }) => {
        const { range: _, ...dates } = to(listed?.last) as Record<string, unknown>
        return { tool: 'get_corporate_actions', arguments: { symbol, type, ...dates } }
      }),
    }
  }
  if (topic === 'company') {
    ignored.push(...[onText, periodText].filter((one) => one !== undefined))
    if (step) ignored.push(step)
    return { calls: names.map(({ symbol }) => ({ tool: 'get_company', arguments: { symbol } })) }
  }
  // Prices, or statements?
  if (!topic && !asSeries && steps[step ?? '']?.period) {
    ignored.push(step!)
    return callsFor({ ...question, step: undefined }, names, ignored)
  }
  const compares = names.length > 1 && (topic === 'compare' || isHistory || over !== undefined)
  if (compares) return comparison(names, over, topic, step, ignored)
  if (isHistory || over || step || (topic !== 'price' && !on && asSeries && names.length === 1))
    return { calls: names.map((one) => historyCall(one, over, step, topic === 'candles', ignored)) }
  if (asSeries) return { calls: names.map((one) => valueCall(one, on)) }
  const symbols = names.map(({ symbol }) => symbol)
  return { calls: [{ tool: 'get_quote', arguments: { symbols, ...(on && { on }) } }] }
}

/** The latest value, or the one of a day. */
function valueCall(named: Named, on: string | undefined): Call {
  if (named.listed?.type === 'series') return seriesCall(named, on ? { from: monthsBefore(on, 12), to: on } : {})
  return { tool: 'get_quote', arguments: { symbols: [named.symbol], ...(on && { on }) } }
}

function statementCall(
  { symbol, reports }: Dated,
  { period, periodText, step, statement, lines }: Question,
  ignored: string[],
): Call {
  const chosen = steps[step ?? '']?.period
  if (step && !chosen) ignored.push(step)
  const short = period?.months !== undefined && period.months < 12
  const every = chosen ?? (short ? 'quarterly' : 'annual')
  const perYear = every === 'quarterly' ? 4 : 1
  if (period?.days !== undefined) ignored.push(periodText!)
  const known = period && reports ? within(reports, period) : []
  const end = known.toSorted().at(-1) ?? new Date().toISOString().slice(0, 10)
  const years = period ? yearsOf(known.length > 0 ? { ...period, to: end } : period, '0000-01-01', end) : 0
  const count = known.length > 0 && every === 'annual' ? known.length : Math.round(years * perYear)
  const limit = Math.min(MAX_STATEMENTS, Math.max(1, count))
  return {
    tool: 'get_financials',
    arguments: {
      symbol,
      ...(statement || lines.length === 0 ? { statement: statement ?? 'income' } : { fields: lines }),
      ...(every === 'quarterly' && { period: every }),
      ...(period?.to && { to: period.to }),
      ...(period && period.days === undefined && { limit }),
    },
  }
}

function comparison(
  names: Named[],
  period: Period | undefined,
  topic: Question['topic'],
  step: string | undefined,
  ignored: string[],
): Pick<Plan, 'calls' | 'compared'> {
  // The shared period ends where the first of them ends.
  const end = names.map(({ listed }) => listed?.last ?? '9999').sort()[0]!
  const asSeries = names.some(({ listed }) => listed?.type === 'series')
  if (!asSeries && topic !== 'history' && topic !== 'candles' && !step) {
    const symbols = names.map(({ symbol }) => symbol)
    const window = period && windowOf(period, end, barRanges)
    return { calls: [{ tool: 'summarize_prices', arguments: { symbols, ...window } }] }
  }
  const shared = sharedPeriod(period ?? { months: 12 }, end)
  return { compared: true, calls: names.map((one) => historyCall(one, shared, step, false, ignored)) }
}

function sharedPeriod(period: Period, end: string): Period {
  const { months, days } = period
  if (months !== undefined) return { from: monthsBefore(end, months), to: end }
  return days === undefined ? period : { from: daysBefore(end, days), to: end }
}

function historyCall(
  named: Named,
  period: Period | undefined,
  step: string | undefined,
  candles: boolean,
  ignored: string[],
): Call {
  const { symbol, listed } = named
  const every = steps[step ?? '']
  if (listed?.type === 'series') {
    if (every && !every.frequency && !(isMonthly(listed) && step === 'monthly')) ignored.push(step!)
    return seriesCall(named, period ?? {}, every?.frequency)
  }
  const years = period ? yearsOf(period, listed?.first ?? '1980-01-01', listed?.last ?? '2030-01-01') : 1
  return {
    tool: 'get_bars',
    arguments: {
      symbol,
      interval: every?.interval ?? (years <= 1.1 ? '1d' : years <= 10 ? '1w' : '1mo'),
      ...windowOf(period ?? { months: every && step !== 'daily' ? 60 : 12 }, listed?.last, barRanges),
      ...(candles && { columns: candleColumns }),
      limit: 1000,
    },
  }
}

/** A month is dated by its first day. */
const isMonthly = ({ first, last }: Listed) => first.endsWith('-01') && last.endsWith('-01')

function seriesCall({ symbol, listed, units }: Named, period: Period, frequency?: string): Call {
  const { first, last } = listed!
  const monthly = isMonthly(listed!)
  const wanted: Period = Object.keys(period).length > 0 ? period : { months: units || monthly || frequency ? 60 : 12 }
  const years = yearsOf(wanted, first, last)
  const coarser = frequency ?? (monthly ? years > MONTHLY_YEARS && 'annual' : years > DAILY_YEARS && 'quarterly')
  return {
    tool: 'get_economic_series',
    arguments: {
      series_id: symbol,
      ...(units && { units }),
      ...windowOf(wanted, last, seriesRanges),
      ...(coarser && { frequency: coarser }),
      limit: LIMIT,
    },
  }
}

const barRanges: Record<number, string> = { 1: '1mo', 3: '3mo', 6: '6mo', 12: '1y', 60: '5y' }
const seriesRanges: Record<number, string> = { ...barRanges, 120: '10y', 240: '20y' }

/** The period as arguments: a named range if the tool has it, else dates. */
function windowOf({ from, to, months, days, all }: Period, last: string | undefined, ranges: Record<number, string>) {
  if (all) return { range: 'max' }
  if (months === undefined && days === undefined) return { ...(from && { from }), ...(to && { to }) }
  const range = ranges[months ?? 0]
  if (range) return { range }
  if (!last) return { range: '1y' }
  return { from: months === undefined ? daysBefore(last, days!) : monthsBefore(last, months) }
}

/** The line with these words taken out, to be asked instead. */
export const withoutWords = (line: string, words: readonly string[]): string =>
  words
    .reduce((rest, word) => {
      const at = rest
        .toLowerCase()
        .search(new RegExp(`(?<![\\p{L}\\p{N}])${escaped(word.toLowerCase())}(?![\\p{L}\\p{N}])`, 'u'))
      return at === -1 ? rest : `${rest.slice(0, at)} ${rest.slice(at + word.length)}`
    }, line)
    .replace(/\s+/g, ' ')
    .trim()

const escaped = (word: string) => word.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
