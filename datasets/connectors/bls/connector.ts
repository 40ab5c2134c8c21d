import { z } from 'zod'
import {
  BadAnswer,
  jsonOf,
  type Parsed,
  type PlanState,
  plainNumber,
  type Row,
  type SourceRequest,
} from '../../../server/features/datasets/connectors/connector.ts'
import { seriesConnector } from '../../../server/features/datasets/connectors/series-connector.ts'
import manifest from './manifest.json' with { type: 'json' }

const ID = 'bls-series'
const FIRST_DECADE = 1990
/** Without a key, one request may ask for ten years. */
const YEARS = 10
/** Seasonally adjusted series are revised for five years. */
const REVISED_YEARS = 5

const series: Record<string, { name: string; unit: string }> = {
  CUUR0000SA0: { name: 'Consumer prices, all items, not seasonally adjusted', unit: 'Index, 1982-84 = 100' },
  CUSR0000SA0: { name: 'Consumer prices, all items, seasonally adjusted', unit: 'Index, 1982-84 = 100' },
  CUUR0000SA0L1E: { name: 'Consumer prices without food and energy', unit: 'Index, 1982-84 = 100' },
  LNS14000000: { name: 'Unemployment rate, seasonally adjusted', unit: 'Percent' },
  CES0000000001: { name: 'Nonfarm employment, seasonally adjusted', unit: 'Thousands of jobs' },
}

const answer = z.object({
  status: z.string(),
  message: z.array(z.string()).default([]),
  Results: z
    .object({
      series: z
        .array(
          z.object({
            seriesID: z.string(),
            data: z.array(z.object({ year: z.string().regex(/^\d{4}$/), period: z.string(), value: z.string() })),
          }),
        )
        .optional(),
    })
    .nullish(),
})

function plan({ today, held }: PlanState): SourceRequest[] {
  const thisYear = Number(today.slice(0, 4))
  const requests: SourceRequest[] = []
  for (let first = FIRST_DECADE; first <= thisYear; first += YEARS) {
    const at = held[String(first)]
    if (at && Number(at.slice(0, 4)) > first + YEARS + REVISED_YEARS) continue
    const last = Math.min(first + YEARS - 1, thisYear)
    requests.push({
      part: String(first),
      url: 'https://api.bls.gov/publicAPI/v2/timeseries/data/',
      body: JSON.stringify({ seriesid: Object.keys(series), startyear: String(first), endyear: String(last) }),
    })
  }
  return requests
}

/** Every answer has status 200; whether it succeeded is in the text. M13 is the average of the year. Series that were not asked for are left out. */
function parse(bytes: Uint8Array): Parsed {
  const { status, message, Results } = jsonOf(bytes, answer)
  if (status !== 'REQUEST_SUCCEEDED') throw new BadAnswer(`${status}: ${message.join(' ') || 'no reason given'}`)
  const rows: Row[] = []
  for (const { seriesID, data } of Results?.series ?? []) {
    if (!series[seriesID]) continue
    for (const { year, period, value } of data) {
      const [, month] = /^M(0[1-9]|1[0-2])$/.exec(period) ?? []
      if (!month || value.trim() === '-') continue
      const number = plainNumber(value.replaceAll(',', ''))
      if (Number.isNaN(number)) throw new BadAnswer(`${seriesID} ${year} ${period}: ${value} is no number`)
      rows.push({ series: `BLS.${seriesID}`, date: `${year}-${month}-01`, value: number })
    }
  }
  return { rows: { [ID]: rows } }
}

export const bls = seriesConnector(manifest, {
  id: ID,
  plan,
  parse,
  name: 'BLS consumer prices and employment',
  frequency: 'monthly',
  series: (names) =>
    Object.fromEntries(
      names.map((id) => [
        id,
        { ...(series[id.slice(4)] ?? { name: id, unit: 'as published' }), aliases: [id.slice(4)] },
      ]),
    ),
})
