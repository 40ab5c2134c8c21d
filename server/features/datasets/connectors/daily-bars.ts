import {
  BadAnswer,
  type Connector,
  type DatasetOf,
  type PlanState,
  type Row,
  readConnectorManifest,
  type SourceRequest,
} from './connector.ts'

/** What connectors to vendors of daily prices share: which days to ask for, and rows with splits and dividends. */

/** A part of a symbol's history. Years that are over do not change, so most runs ask only for this one. */
export interface Span {
  part: string
  from: string
  to: string
  /** The days before that have a bar that can still change. */
  before: string
}

/** Splits (new shares for one old share) and dividends (per share as paid) by their first day of trading without them. */
export interface Actions {
  splits: Record<string, number>
  dividends: Record<string, number>
}

const noActions: Actions = { splits: {}, dividends: {} }

const SYMBOL = /^[A-Z0-9][A-Z0-9.-]{0,19}$/
const FIRST_DAY = '1900-01-01'
/** In the first days of a year the vendor may still lack the last day of the one before. */
const SETTLED = '-01-05'

/** What was selected, without what can be no symbol. */
export const chosenSymbols = ({ selection }: PlanState): string[] => selection.filter((name) => SYMBOL.test(name))

const notSymbols = ({ selection }: PlanState): string[] =>
  selection.filter((name) => !SYMBOL.test(name)).map((name) => `${name.slice(0, 40)}: not a symbol`)

/** Years before this one, and this year. */
export function spansOf(symbol: string, { today }: PlanState): [Span, Span] {
  const year = Number(today.slice(0, 4))
  return [
    { part: `${symbol}_1-history`, from: FIRST_DAY, to: `${year - 1}-12-31`, before: today },
    { part: `${symbol}_2-recent`, from: `${year}-01-01`, to: today, before: today },
  ]
}

/** Whether a span must be asked for: this year always, others when they changed (a year ended, a split was corrected). */
export function isNeeded(
  { part, to }: Span,
  { held, learned, today }: PlanState,
  actions: Actions = noActions,
): boolean {
  const at = held[part]
  if (at === undefined || part.endsWith('recent')) return true
  const complete = at >= `${today.slice(0, 4)}${SETTLED}`
  return !complete || learned[`with ${part}`] !== JSON.stringify(within(actions, { from: FIRST_DAY, to }))
}

/** What a good answer to the request for a span means. */
export const learnsOf = (span: Span, actions: Actions = noActions): Record<string, string> => ({
  [`with ${span.part}`]: JSON.stringify(within(actions, { from: FIRST_DAY, to: span.to })),
})

function within({ splits, dividends }: Actions, { from, to }: Pick<Span, 'from' | 'to'>): Actions {
  const cut = (days: Record<string, number>) =>
    Object.fromEntries(
      Object.entries(days)
        .filter(([day]) => day >= from && day <= to)
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    )
  return { splits: cut(splits), dividends: cut(dividends) }
}

/** A number, also from text. Throws BadAnswer. */
export function numberOf(value: unknown, where: string): number {
  const number = typeof value === 'string' && value.trim() === '' ? Number.NaN : Number(value)
  if (value === null || !Number.isFinite(number)) throw new BadAnswer(`${where}: ${JSON.stringify(value)} is no number`)
  return number
}

export function dayOf(text: string, where: string): string {
  const day = text.slice(0, 10)
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day) || Number.isNaN(Date.parse(day)))
    throw new BadAnswer(`${where}: ${JSON.stringify(text.slice(0, 40))} is no date`)
  return day
}

interface Given {
  open: unknown
  high: unknown
  low: unknown
  close: unknown
  volume: unknown
}

/**
 * The rows that a request asked for, oldest first, without the day that is not over. A split or dividend of a day without a bar
 * counts for the next day that has one. `actions` are those of the answer, if they were not known before. Throws BadAnswer for
 * prices that are none.
 */
export function barRows(
  { about = {} }: SourceRequest,
  bars: Iterable<readonly [day: string, bar: Given]>,
  actions: Actions = JSON.parse(about.known!),
): Row[] {
  const { symbol = '', from = '', to = '', before = '' } = about
  const sorted = [...bars]
    .filter(([day]) => day < before && day >= from && day <= to)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  const days = sorted.map(([day]) => day)
  const on = (given: Record<string, number>) => {
    const found = new Map<string, number[]>()
    for (const [day, value] of Object.entries(given)) {
      const session = day >= from && day <= to ? days.find((one) => one >= day) : undefined
      if (session) found.set(session, [...(found.get(session) ?? []), value])
    }
    return found
  }
  const [splits, dividends] = [on(actions.splits), on(actions.dividends)]
  return sorted.map(([date, { open, high, low, close, volume }]) => {
    const read = (value: unknown, name: string) => numberOf(value, `${symbol} ${date}, ${name}`)
    const row = {
      symbol,
      date,
      open: read(open, 'open'),
      high: read(high, 'high'),
      low: read(low, 'low'),
      close: read(close, 'close'),
      volume: read(volume, 'volume'),
      split: (splits.get(date) ?? []).reduce((all, one) => all * one, 1),
      dividend: (dividends.get(date) ?? []).reduce((all, one) => all + one, 0),
    }
    const { open: o, high: h, low: l, close: c } = row
    if (!(l > 0 && l <= Math.min(o, c) && h >= Math.max(o, c) && row.volume >= 0 && row.split > 0 && row.dividend >= 0))
      throw new BadAnswer(`${symbol} ${date}: these can be no prices: ${JSON.stringify([o, h, l, c, row.volume])}`)
    return row
  })
}

interface BarsSource extends Pick<Connector, 'plan' | 'parse' | 'unknown'> {
  volumeBasis?: 'none' | 'splits'
  /** Of a symbol, from what was learned; USD by default. */
  currencyOf?: (symbol: string, learned: PlanState['learned']) => string
}

const columns = ['symbol', 'date', 'open', 'high', 'low', 'close', 'volume', 'split', 'dividend']

/** A connector whose dataset has prices as quoted, with splits and dividends, that only accounts may read. */
export function barsConnector(
  given: unknown,
  id: string,
  { plan, parse, unknown, volumeBasis = 'none', currencyOf }: BarsSource,
): Connector {
  const manifest = readConnectorManifest(given)
  const { terms, title } = manifest
  const dataset: DatasetOf = {
    id,
    keys: { key: 'symbol', date: 'date', value: 'close', identity: ['date'] },
    file: (symbols, learned) => ({
      kind: 'bars',
      name: title,
      fields: Object.fromEntries(columns.map((name) => [name, name])),
      currency: 'USD',
      timezone: 'America/New_York',
      basis: 'none',
      volume_basis: volumeBasis,
      instruments: Object.fromEntries(
        symbols.flatMap((symbol) => {
          const currency = currencyOf?.(symbol, learned) ?? 'USD'
          return currency === 'USD' ? [] : [[symbol, { currency }]]
        }),
      ),
      license: terms.license,
      publisher: terms.attribution,
      redistribution: terms.redistribution,
      notes: terms.notes,
    }),
  }
  return {
    manifest,
    plan,
    parse,
    datasets: [dataset],
    unknown: (state) => [...notSymbols(state), ...(unknown?.(state) ?? [])],
  }
}
