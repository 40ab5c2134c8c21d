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
import { parseByKind, planWithActions } from '../../../server/features/datasets/connectors/with-actions.ts'
import manifest from './manifest.json' with { type: 'json' }

const ID = 'twelvedata-daily'
const AT = 'https://api.twelvedata.com'
const MOST_ROWS = 5000
const A_MINUTE = 60
const A_DAY = 86_400
const authorized = { authorization: 'apikey {secret}' }

const head = z.object({ status: z.string().optional(), code: z.int().optional(), message: z.string().optional() })
const prices = z.object({
  meta: z.object({ symbol: z.string(), interval: z.string(), currency: z.string().optional() }),
  values: z.array(
    z.object({
      datetime: z.string(),
      open: z.string(),
      high: z.string(),
      low: z.string(),
      close: z.string(),
      volume: z.string().optional(),
    }),
  ),
})
const amount = z.union([z.number(), z.string()])
const splits = z.object({ splits: z.array(z.object({ date: z.string(), from_factor: amount, to_factor: amount })) })
const dividends = z.object({ dividends: z.array(z.object({ ex_date: z.string(), amount })) })

/** An answer has at most 5,000 days, the newest: earlier ones are asked for after it. */
function plan(state: PlanState): SourceRequest[] {
  const priceUrl = (symbol: string, from: string, to: string) =>
    `${AT}/time_series?symbol=${symbol}&interval=1day&start_date=${from}&end_date=${to}&outputsize=${MOST_ROWS}&adjust=none`
  const first = planWithActions(
    state,
    chosenSymbols(state),
    {
      splits: (symbol) => `${AT}/splits?symbol=${symbol}&range=full`,
      dividends: (symbol) => `${AT}/dividends?symbol=${symbol}&range=full`,
      prices: (symbol, { from, to }) => priceUrl(symbol, from, nextDay(to)),
    },
    authorized,
  )
  return first.flatMap((request) => {
    const pages = [request]
    for (let { part } = request; state.learned[`before ${part}`]; ) {
      const to = state.learned[`before ${part}`]!
      part = `${request.part}-${pages.length + 1}`
      const { symbol, from } = request.about as { symbol: string; from: string }
      pages.push({ ...request, part, url: priceUrl(symbol, from, to), about: { ...request.about, to: dayBefore(to) } })
    }
    return pages
  })
}

/** Errors have their code in the text, whatever the status is. */
function refuseErrors(bytes: Uint8Array): 'no rows' | 'rows' {
  const { status, code, message = 'no reason given' } = jsonOf(bytes, head)
  if (status !== 'error' && code === undefined) return 'rows'
  if (code === 401) throw new RefusedByName(`the source refuses the key in ${manifest.secret}`)
  if (code === 429) throw new AskedToWait(message, /minute/i.test(message) ? A_MINUTE : A_DAY)
  if (/no data is available/i.test(message)) return 'no rows'
  if (/not found/i.test(message)) throw new NotThere(message)
  throw new BadAnswer(`${code ?? status}: ${message}`)
}

function parse(bytes: Uint8Array, request: SourceRequest): Parsed {
  const { part } = request
  const empty = refuseErrors(bytes) === 'no rows'
  return parseByKind(request, {
    splits: (symbol) =>
      (empty ? [] : jsonOf(bytes, splits).splits).map((one) => {
        // The factors of a split 4 for 1 are from 4 to 1.
        const [given, old] = [
          numberOf(one.from_factor, `${symbol}, split`),
          numberOf(one.to_factor, `${symbol}, split`),
        ]
        if (!(given > 0 && old > 0)) throw new BadAnswer(`${symbol} ${one.date}: ${given}/${old} is no split`)
        return [dayOf(one.date, symbol), given / old]
      }),
    dividends: (symbol) =>
      (empty ? [] : jsonOf(bytes, dividends).dividends).map((one) => [
        dayOf(one.ex_date, symbol),
        numberOf(one.amount, `${symbol}, dividend`),
      ]),
    prices(symbol) {
      if (empty) return { rows: { [ID]: [] }, learned: { [`before ${part}`]: '' } }
      const { meta, values } = jsonOf(bytes, prices)
      if (meta.symbol !== symbol || meta.interval !== '1day')
        throw new BadAnswer(`the answer is about ${meta.symbol} by ${meta.interval}, not ${symbol} by day`)
      const bars = values.map((one) => [dayOf(one.datetime, symbol), { ...one, volume: one.volume ?? '0' }] as const)
      const oldest = bars.map(([day]) => day).sort()[0] ?? ''
      return {
        rows: { [ID]: barRows(request, bars) },
        learned: {
          [`before ${part}`]: values.length >= MOST_ROWS ? oldest : '',
          ...(meta.currency && { [`currency ${symbol}`]: meta.currency }),
        },
      }
    },
  })
}

const shifted = (day: string, days: number) => new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10)
/** The end of a period is not part of it. */
const nextDay = (day: string) => shifted(day, 1)
const dayBefore = (day: string) => shifted(day, -1)

export const twelvedata = barsConnector(manifest, ID, {
  plan,
  parse,
})
