import { z } from 'zod'
import {
  AskedToWait,
  BadAnswer,
  jsonOf,
  type Parsed,
  type PlanState,
  type SourceRequest,
  textOf,
} from '../../../server/features/datasets/connectors/connector.ts'
import {
  barRows,
  barsConnector,
  chosenSymbols,
  dayOf,
  isNeeded,
  learnsOf,
  spansOf,
} from '../../../server/features/datasets/connectors/daily-bars.ts'
import manifest from './manifest.json' with { type: 'json' }

const ID = 'tiingo-daily'
const AN_HOUR = 3600

const answer = z.array(
  z.object({
    date: z.string(),
    open: z.number(),
    high: z.number(),
    low: z.number(),
    close: z.number(),
    volume: z.number(),
    divCash: z.number(),
    splitFactor: z.number(),
  }),
)

const plan = (state: PlanState): SourceRequest[] =>
  chosenSymbols(state).flatMap((symbol) =>
    spansOf(symbol, state)
      .filter((span) => isNeeded(span, state))
      .map((span) => ({
        part: span.part,
        // BRK.B is BRK-B there.
        url: `https://api.tiingo.com/tiingo/daily/${symbol.replace('.', '-')}/prices?startDate=${span.from}&endDate=${span.to}&format=json`,
        headers: { authorization: 'Token {secret}' },
        optional: 'missing' as const,
        about: { symbol, from: span.from, to: span.to, before: span.before },
        learns: learnsOf(span),
      })),
  )

/** Prices as quoted, with dividends and splits in their rows. Some messages about quotas are plain text with status 200. */
function parse(bytes: Uint8Array, request: SourceRequest): Parsed {
  const start = textOf(bytes).trimStart()
  if (!start.startsWith('[')) {
    if (/allocation|limit/i.test(start)) throw new AskedToWait(start.slice(0, 300), AN_HOUR)
    throw new BadAnswer(`the answer is no list of prices: ${start.slice(0, 300)}`)
  }
  const rows = jsonOf(bytes, answer).map((row) => ({ ...row, day: dayOf(row.date, request.about!.symbol!) }))
  const actions = {
    splits: Object.fromEntries(rows.filter((row) => row.splitFactor !== 1).map((row) => [row.day, row.splitFactor])),
    dividends: Object.fromEntries(rows.filter((row) => row.divCash !== 0).map((row) => [row.day, row.divCash])),
  }
  const bars = rows.map((row) => [row.day, row] as const)
  return { rows: { [ID]: barRows(request, bars, actions) } }
}

export const tiingo = barsConnector(manifest, ID, {
  plan,
  parse,
})
