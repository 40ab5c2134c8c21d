import { z } from 'zod'
import {
  BadAnswer,
  jsonOf,
  type Parsed,
  type PlanState,
  type SourceRequest,
} from '../../../server/features/datasets/connectors/connector.ts'
import {
  barRows,
  barsConnector,
  chosenSymbols,
  dayOf,
  spansOf,
} from '../../../server/features/datasets/connectors/daily-bars.ts'
import { parseByKind, planWithActions } from '../../../server/features/datasets/connectors/with-actions.ts'
import manifest from './manifest.json' with { type: 'json' }

const ID = 'massive-daily'
const HOST = 'api.massive.com'
/** Before it was renamed. */
const EARLIER_HOST = 'api.polygon.io'
const authorized = { authorization: 'Bearer {secret}' }

const head = z.object({
  status: z.string(),
  error: z.string().optional(),
  message: z.string().optional(),
  next_url: z.string().nullish(),
})
const prices = z.object({
  ticker: z.string().optional(),
  adjusted: z.boolean().optional(),
  results: z
    .array(z.object({ t: z.int(), o: z.number(), h: z.number(), l: z.number(), c: z.number(), v: z.number() }))
    .default([]),
})
const splits = z.object({
  results: z
    .array(
      z.object({
        ticker: z.string(),
        execution_date: z.string(),
        split_from: z.number().positive(),
        split_to: z.number().positive(),
      }),
    )
    .default([]),
})
const dividends = z.object({
  results: z.array(z.object({ ticker: z.string(), ex_dividend_date: z.string(), cash_amount: z.number() })).default([]),
})

/** Prices as quoted (`adjusted=false`), splits and dividends. An answer has 50,000 days, so further pages are rare. */
function plan(state: PlanState): SourceRequest[] {
  const first = planWithActions(
    state,
    chosenSymbols(state),
    {
      splits: (symbol) => `https://${HOST}/v3/reference/splits?ticker=${symbol}&limit=1000`,
      dividends: (symbol) => `https://${HOST}/v3/reference/dividends?ticker=${symbol}&limit=1000`,
      prices: (symbol, { from, to }) =>
        `https://${HOST}/v2/aggs/ticker/${symbol}/range/1/day/${from}/${to}?adjusted=false&sort=asc&limit=50000`,
    },
    authorized,
  )
  return first.flatMap((request) => [request, ...furtherPages(request, state.learned)])
}

function furtherPages(first: SourceRequest, learned: PlanState['learned']): SourceRequest[] {
  const pages: SourceRequest[] = []
  for (let { part } = first; learned[`next ${part}`]; ) {
    const url = learned[`next ${part}`]!
    part = `${first.part}-${pages.length + 2}`
    pages.push({ ...first, part, url })
  }
  return pages
}

function parse(bytes: Uint8Array, request: SourceRequest): Parsed {
  const { status, error, message, next_url } = jsonOf(bytes, head)
  if (error || !['OK', 'DELAYED'].includes(status)) throw new BadAnswer(`${status}: ${error ?? message ?? 'no reason'}`)
  const learned = { [`next ${request.part}`]: next_url ? nextPage(next_url) : '' }
  const found = parseByKind(request, {
    splits: (symbol) =>
      jsonOf(bytes, splits).results.map((one) => [
        dayOfTicker(one.ticker, one.execution_date, symbol),
        one.split_to / one.split_from,
      ]),
    dividends: (symbol) =>
      jsonOf(bytes, dividends).results.map((one) => [
        dayOfTicker(one.ticker, one.ex_dividend_date, symbol),
        one.cash_amount,
      ]),
    prices: (symbol) => pricesOf(bytes, request, symbol),
  })
  return { rows: found.rows, learned: { ...learned, ...found.learned } }
}

function dayOfTicker(ticker: string, day: string, symbol: string): string {
  if (ticker !== symbol) throw new BadAnswer(`the answer is about ${ticker}, not ${symbol}`)
  return dayOf(day, symbol)
}

/** `t` is midnight in New York, in milliseconds: the same day in UTC. */
function pricesOf(bytes: Uint8Array, request: SourceRequest, symbol: string): Parsed {
  const { ticker = symbol, adjusted, results } = jsonOf(bytes, prices)
  if (ticker !== symbol) throw new BadAnswer(`the answer is about ${ticker}, not ${symbol}`)
  if (adjusted) throw new BadAnswer('the prices are adjusted for splits, though others were asked for')
  const bars = results.map(({ t, o, h, l, c, v }) => {
    const bar = { open: o, high: h, low: l, close: c, volume: v }
    return [dayOf(new Date(t).toISOString(), symbol), bar] as const
  })
  const rows = barRows(request, bars)
  return { rows: { [ID]: rows }, learned: { [`rows ${request.part}`]: String(rows.length) } }
}

/** The key goes along with the request, so only to this host, and never as a part of the address. */
function nextPage(url: string): string {
  const next = new URL(url)
  if (![HOST, EARLIER_HOST].includes(next.host)) throw new BadAnswer(`the next page is on another host: ${next.host}`)
  next.searchParams.delete('apiKey')
  return `https://${HOST}${next.pathname}${next.search}`
}

export const massive = barsConnector(manifest, ID, {
  plan,
  parse,
  // The answer about an unknown symbol is good and has no prices.
  unknown: (state) =>
    chosenSymbols(state)
      .filter((symbol) => spansOf(symbol, state).every(({ part }) => state.learned[`rows ${part}`] === '0'))
      .map((symbol) => `${symbol}: Massive has no prices of it`),
})
