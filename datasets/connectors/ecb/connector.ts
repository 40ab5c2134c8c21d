import {
  BadAnswer,
  beginning,
  isDay,
  type Parsed,
  type PlanState,
  plainNumber,
  type Row,
  type SourceRequest,
  textOf,
  wholeRows,
} from '../../../server/features/datasets/connectors/connector.ts'
import { seriesConnector } from '../../../server/features/datasets/connectors/series-connector.ts'
import { csvRowsOf } from '../../../server/features/market-data/sources/csv.ts'
import manifest from './manifest.json' with { type: 'json' }

const ID = 'ecb-reference-rates'
const HISTORY = '1-history'
const RECENT = '2-recent'
const AT = 'https://www.ecb.europa.eu/stats/eurofxref'
/** The recent file has 90 days; the history is fetched again before they could miss a day. */
const HISTORY_DAYS = 60

function plan({ today, held }: PlanState): SourceRequest[] {
  const at = held[HISTORY]
  const fresh = at !== undefined && Date.parse(today) - Date.parse(at) < HISTORY_DAYS * 86_400_000
  return [
    ...(fresh ? [] : [{ part: HISTORY, url: `${AT}/eurofxref-hist.zip` }]),
    { part: RECENT, url: `${AT}/eurofxref-hist-90d.xml` },
  ]
}

function parse(bytes: Uint8Array, { part }: SourceRequest): Parsed {
  const rows = part === HISTORY ? fromCsv(textOf(bytes)) : fromXml(textOf(bytes), bytes)
  if (rows.length === 0) throw new BadAnswer(`there are no rates in the answer: ${beginning(bytes)}`)
  return { rows: { [ID]: rows } }
}

/** `Date,USD,...,` with N/A for currencies without a rate, and a comma at the end of every line. */
function fromCsv(text: string): Row[] {
  const [header, ...lines] = csvRowsOf(text, ',')
  if (header?.cells[0] !== 'Date') throw new BadAnswer('the file does not begin with a column Date')
  return wholeRows(header, lines).flatMap(({ cells, line }) =>
    header.cells.flatMap((currency, at) => {
      const rate = cells[at]?.trim() ?? ''
      return at === 0 || currency.trim() === '' || rate === '' || rate === 'N/A'
        ? []
        : [row(currency.trim(), cells[0]!, rate, `line ${line}`)]
    }),
  )
}

/** `<Cube time='...'><Cube currency='USD' rate='1.08'/>...`, with single or double quotes. */
function fromXml(text: string, bytes: Uint8Array): Row[] {
  if (!/<gesmes:Envelope[\s>]/.test(text) || !/<\/gesmes:Envelope>\s*$/.test(text))
    throw new BadAnswer(`the answer is not a complete list of rates: ${beginning(bytes)}`)
  const rows: Row[] = []
  let date = ''
  for (const [cube] of text.matchAll(/<Cube\s[^>]*>/g)) {
    const read = (name: string) => new RegExp(`\\s${name}\\s*=\\s*["']([^"']*)["']`).exec(cube)?.[1]
    date = read('time') ?? date
    const [currency, rate] = [read('currency'), read('rate')]
    if (currency && rate) rows.push(row(currency, date, rate, date))
  }
  return rows
}

function row(currency: string, date: string, rate: string, where: string): Row {
  const value = plainNumber(rate)
  if (!/^[A-Z]{3}$/.test(currency)) throw new BadAnswer(`${where}: ${currency} is no currency code`)
  if (!isDay(date)) throw new BadAnswer(`${where}: ${date} is no date`)
  if (!(value > 0)) throw new BadAnswer(`${where}: ${rate} is no rate`)
  return { series: `ECB.${currency}`, date, value }
}

const names = new Intl.DisplayNames('en', { type: 'currency' })

export const ecb = seriesConnector(manifest, {
  id: ID,
  plan,
  parse,
  name: 'Euro foreign exchange reference rates',
  frequency: 'daily',
  base: 'EUR',
  series: (series) =>
    Object.fromEntries(
      series.map((id) => {
        const code = id.slice(-3)
        const about = { name: `Euro reference rate, ${names.of(code)}`, unit: `${code} per EUR` }
        return [id, { ...about, currency: code, aliases: [`EUR${code}`, `EUR/${code}`] }]
      }),
    ),
  notes: [...manifest.terms.notes, 'None on weekends and holidays of the TARGET system; gaps are not filled.'],
})
