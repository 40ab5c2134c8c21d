import { z } from 'zod'
import {
  BadAnswer,
  jsonOf,
  type Parsed,
  type PlanState,
  type SourceRequest,
} from '../../../server/features/datasets/connectors/connector.ts'
import { seriesConnector } from '../../../server/features/datasets/connectors/series-connector.ts'
import manifest from './manifest.json' with { type: 'json' }

const ID = 'worldbank-indicators'
const FIRST_YEAR = 1960
const PER_PAGE = 1000

const indicators = ['NY.GDP.MKTP.CD', 'NY.GDP.MKTP.KD.ZG', 'FP.CPI.TOTL.ZG', 'SP.POP.TOTL', 'SL.UEM.TOTL.ZS']
const countries = 'US;CN;JP;DE;IN;GB;FR;IT;BR;CA;KR;MX;AU;ES;ID;NL;SA;CH;TR;EMU;WLD'

/** Errors are a list with one message, and also have status 200. */
const failure = z.tuple([z.object({ message: z.array(z.object({ key: z.string(), value: z.string() })).min(1) })])
const named = z.object({ id: z.string(), value: z.string() })
const success = z.tuple([
  z.object({ page: z.coerce.number(), pages: z.coerce.number() }),
  z
    .array(
      z.object({
        indicator: named,
        country: named,
        date: z.string().regex(/^\d{4}$/),
        value: z.number().nullable(),
      }),
    )
    .nullable(),
])

function plan({ today, learned }: PlanState): SourceRequest[] {
  return indicators.flatMap((indicator) =>
    Array.from({ length: Number(learned[`pages ${indicator}`] ?? 1) }, (_, at) => ({
      part: `${indicator}-${at + 1}`,
      url: `https://api.worldbank.org/v2/country/${countries}/indicator/${indicator}?format=json&date=${FIRST_YEAR}:${today.slice(0, 4)}&per_page=${PER_PAGE}&page=${at + 1}`,
      about: { indicator, page: String(at + 1) },
    })),
  )
}

function parse(bytes: Uint8Array, { about }: SourceRequest): Parsed {
  const answer = jsonOf(bytes, z.union([failure, success]))
  if (!('page' in answer[0])) throw new BadAnswer(`the source refused: ${answer[0].message[0]!.value}`)
  if (String(answer[0].page) !== about!.page)
    throw new BadAnswer(`the answer is page ${answer[0].page}, not ${about!.page}`)
  const learned: Record<string, string> = { [`pages ${about!.indicator}`]: String(Math.max(1, answer[0].pages)) }
  const rows = (answer[1] ?? []).flatMap(({ indicator, country, date, value }) => {
    if (indicator.id !== about!.indicator) throw new BadAnswer(`the answer is about ${indicator.id}`)
    const series = `WB.${country.id}.${indicator.id}`
    learned[`name ${series}`] = `${indicator.value}, ${country.value}`
    return value === null ? [] : [{ series, date: `${date}-01-01`, value }]
  })
  return { rows: { [ID]: rows }, learned }
}

/** "GDP (current US$), Mexico" has the unit in parentheses; without them, a number of things. */
const unitOf = (name: string): string => /\(([^()]*)\)/.exec(name)?.[1] ?? 'Number'

export const worldbank = seriesConnector(manifest, {
  id: ID,
  plan,
  parse,
  name: 'World Bank indicators',
  frequency: 'annual',
  series: (names, learned) =>
    Object.fromEntries(
      names.map((id) => {
        const name = learned[`name ${id}`] ?? id
        return [id, { name, unit: unitOf(name), aliases: [] }]
      }),
    ),
})
