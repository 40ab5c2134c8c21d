import { z } from 'zod'
import {
  AskedToWait,
  BadAnswer,
  jsonOf,
  NotThere,
  type Parsed,
  type PlanState,
  RefusedByName,
  type SourceRequest,
} from '../../../server/features/datasets/connectors/connector.ts'
import {
  barRows,
  barsConnector,
  chosenSymbols,
  dayOf,
  numberOf,
} from '../../../server/features/datasets/connectors/daily-bars.ts'
import manifest from './manifest.json' with { type: 'json' }

const ID = 'alphavantage-daily'
const A_MINUTE = 60
const A_DAY = 86_400

const day = z.object({
  '1. open': z.string(),
  '2. high': z.string(),
  '3. low': z.string(),
  '4. close': z.string(),
  '6. volume': z.string(),
  '7. dividend amount': z.string(),
  '8. split coefficient': z.string(),
})
const answer = z.object({
  'Error Message': z.string().optional(),
  Information: z.string().optional(),
  Note: z.string().optional(),
  'Meta Data': z.object({ '2. Symbol': z.string() }).optional(),
  'Time Series (Daily)': z.record(z.string(), day).optional(),
})

/** Symbols of other exchanges have a suffix (TSCO.LON), and the answer does not name their currency. */
const isUnitedStates = (symbol: string) => !/\.[A-Z]{2,}$/.test(symbol)

/** One request has the whole history, with splits and dividends in each row. */
const plan = (state: PlanState): SourceRequest[] =>
  chosenSymbols(state)
    .filter(isUnitedStates)
    .map((symbol) => ({
      part: symbol,
      url: `https://www.alphavantage.co/query?function=TIME_SERIES_DAILY_ADJUSTED&symbol=${encodeURIComponent(symbol)}&outputsize=full&datatype=json&apikey={secret}`,
      optional: 'missing',
      about: { symbol, from: '', to: state.today, before: state.today },
    }))

function parse(bytes: Uint8Array, request: SourceRequest): Parsed {
  const given = jsonOf(bytes, answer)
  refuseMessages(given)
  const symbol = request.about!.symbol!
  const found = given['Time Series (Daily)']
  if (!found || !given['Meta Data']) {
    if (Object.keys(given).length === 0) throw new NotThere('there is no such symbol')
    throw new BadAnswer('the answer has no daily prices')
  }
  const named = given['Meta Data']['2. Symbol'].toUpperCase()
  if (named !== symbol) throw new BadAnswer(`the answer is about ${named}, not ${symbol}`)
  const [splits, dividends]: [Record<string, number>, Record<string, number>] = [{}, {}]
  const bars = Object.entries(found).map(([date, one]) => {
    const at = dayOf(date, symbol)
    const [split, dividend] = [
      numberOf(one['8. split coefficient'], `${symbol} ${date}, split`),
      numberOf(one['7. dividend amount'], `${symbol} ${date}, dividend`),
    ]
    if (split !== 1) splits[at] = split
    if (dividend !== 0) dividends[at] = dividend
    const bar = {
      open: one['1. open'],
      high: one['2. high'],
      low: one['3. low'],
      close: one['4. close'],
      volume: one['6. volume'],
    }
    return [at, bar] as const
  })
  return { rows: { [ID]: barRows(request, bars, { splits, dividends }) } }
}

/** All errors have status 200. */
function refuseMessages({
  'Error Message': error,
  Information: information,
  Note: note,
}: z.infer<typeof answer>): void {
  const asked = information ?? note
  if (asked && /per day|daily/i.test(asked)) throw new AskedToWait(asked, A_DAY)
  if (asked && /per minute|per second|frequency/i.test(asked)) throw new AskedToWait(asked, A_MINUTE)
  if (asked) throw new BadAnswer(asked)
  if (error && /apikey/i.test(error)) throw new RefusedByName(`the source refuses the key in ${manifest.secret}`)
  if (error) throw new NotThere(error)
}

export const alphavantage = barsConnector(manifest, ID, {
  plan,
  parse,
  unknown: (state) =>
    chosenSymbols(state)
      .filter((symbol) => !isUnitedStates(symbol))
      .map((symbol) => `${symbol}: only symbols of the United States, because answers name no currency`),
})
