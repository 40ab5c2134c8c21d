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
  numberOf,
} from '../../../server/features/datasets/connectors/daily-bars.ts'
import { parseByKind, planWithActions } from '../../../server/features/datasets/connectors/with-actions.ts'
import manifest from './manifest.json' with { type: 'json' }

const ID = 'eodhd-daily'
const EXCHANGES = '0-exchanges'
const AT = 'https://eodhd.com/api'

const exchanges = z.array(z.object({ Code: z.string(), Currency: z.string() }))
const splits = z.array(z.object({ date: z.string(), split: z.string().regex(/^[\d.]+\/[\d.]+$/) }))
const dividends = z.array(z.object({ date: z.string(), unadjustedValue: z.union([z.number(), z.string()]) }))
const price = z.union([z.number(), z.string()])
const prices = z.array(
  z.union([
    z.object({ date: z.string(), open: price, high: price, low: price, close: price, volume: price }),
    // Free keys: the last element says that the answer has one year only.
    z.object({ warning: z.string() }),
  ]),
)

/** AAPL is AAPL.US there, BRK.B is BRK-B.US; BHP.AU keeps its exchange. */
const theirs = (symbol: string) => (/\.[A-Z]{2,}$/.test(symbol) ? symbol : `${symbol.replace('.', '-')}.US`)
const exchangeOf = (symbol: string) => theirs(symbol).split('.').at(-1)!

/** London quotes in pence, though the list of exchanges says pounds. */
const currencyOf = (symbol: string, learned: PlanState['learned']): string =>
  exchangeOf(symbol) === 'LSE' ? 'GBX' : (currencies(learned)[exchangeOf(symbol)] ?? 'USD')
const currencies = (learned: PlanState['learned']) => JSON.parse(learned.currencies ?? '{}') as Record<string, string>

function plan(state: PlanState): SourceRequest[] {
  const symbols = chosenSymbols(state)
  const url = (path: string, more = '') => `${AT}/${path}?api_token={secret}&fmt=json${more}`
  const foreign = symbols.some((symbol) => exchangeOf(symbol) !== 'US')
  return [
    ...(foreign ? [{ part: EXCHANGES, url: url('exchanges-list/') }] : []),
    ...planWithActions(state, symbols, {
      splits: (symbol) => url(`splits/${theirs(symbol)}`, '&from=1900-01-01'),
      dividends: (symbol) => url(`div/${theirs(symbol)}`, '&from=1900-01-01'),
      prices: (symbol, { from, to }) => url(`eod/${theirs(symbol)}`, `&period=d&from=${from}&to=${to}`),
    }),
  ]
}

/** Prices as quoted; the volume is adjusted for splits. */
function parse(bytes: Uint8Array, request: SourceRequest): Parsed {
  if (request.part === EXCHANGES) {
    const found = jsonOf(bytes, exchanges).map(({ Code, Currency }) => [Code, Currency])
    return { rows: {}, learned: { currencies: JSON.stringify(Object.fromEntries(found)) } }
  }
  return parseByKind(request, {
    splits: (symbol) =>
      jsonOf(bytes, splits).map(({ date, split }) => {
        const [to, from] = split.split('/').map(Number)
        if (!to || !from) throw new BadAnswer(`${symbol} ${date}: ${split} is no split`)
        return [dayOf(date, symbol), to / from]
      }),
    dividends: (symbol) =>
      jsonOf(bytes, dividends).map((one) => [
        dayOf(one.date, symbol),
        numberOf(one.unadjustedValue, `${symbol} ${one.date}, dividend`),
      ]),
    prices(symbol) {
      const bars = jsonOf(bytes, prices).flatMap((one) =>
        'date' in one ? [[dayOf(one.date, symbol), one] as const] : [],
      )
      return { rows: { [ID]: barRows(request, bars) } }
    },
  })
}

export const eodhd = barsConnector(manifest, ID, {
  plan,
  parse,
  volumeBasis: 'splits',
  currencyOf,
})
