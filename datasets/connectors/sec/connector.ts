import { z } from 'zod'
import {
  BadAnswer,
  type Connector,
  jsonOf,
  type Parsed,
  type PlanState,
  type Row,
  readConnectorManifest,
  type SourceRequest,
} from '../../../server/features/datasets/connectors/connector.ts'
import { isStatementForm } from '../../../server/features/market-data/companies/filings/filed-facts.ts'
import { COVER_COUNT, filedTags } from '../../../server/features/market-data/companies/filings/filed-lines.ts'
import manifest from './manifest.json' with { type: 'json' }

const STATEMENTS = 'sec-statements'
const COMPANIES = 'sec-companies'
const TICKERS = '0-tickers'
const EXCHANGES = '0-exchanges'

/** Market identifier codes of the names that EDGAR uses; over the counter is no exchange. */
const mics: Record<string, string> = { Nasdaq: 'XNAS', NYSE: 'XNYS', CBOE: 'BATS' }

const tickers = z.record(z.string(), z.object({ cik_str: z.int(), ticker: z.string().min(1) }))
const exchanges = z.object({
  fields: z.array(z.string()),
  data: z.array(z.array(z.union([z.string(), z.number(), z.null()]))),
})
const submissions = z.object({
  tickers: z.array(z.string()).nullish(),
  filings: z.object({
    recent: z.object({ accessionNumber: z.array(z.string()), isXBRL: z.array(z.number()) }),
  }),
})
const ACCESSION = /^\d{10}-\d{2}-\d{6}$/
/** Facts of another form than this: so many of a hundred are left out; more, and the answer is none. */
const MOST_ODD_PERCENT = 1

const fact = z.object({
  start: z.iso.date().nullish(),
  end: z.iso.date(),
  val: z.number(),
  accn: z.string().regex(ACCESSION),
  fy: z.int().nullish().catch(null),
  form: z.string(),
  filed: z.iso.date(),
})
const companyFacts = z.object({
  cik: z.union([z.int(), z.string()]),
  entityName: z.string(),
  facts: z.record(z.string(), z.record(z.string(), z.object({ units: z.record(z.string(), z.array(z.unknown())) }))),
})

const padded = (cik: number | string): string => String(cik).replace(/^CIK/, '').padStart(10, '0')

/** BRK-B at EDGAR is BRK.B here. */
const listed = (ticker: string): string => ticker.toUpperCase().replace(/-(?=[A-Z]$)/, '.')

const symbolsOf = (learned: PlanState['learned']): Record<string, string[]> =>
  JSON.parse(learned.tickers ?? '{}') as Record<string, string[]>

/** The CIKs that were selected, by symbol or CIK. */
function ciksOf({ selection, learned }: PlanState): { ciks: string[]; unknown: string[] } {
  const bySymbol = new Map(
    Object.entries(symbolsOf(learned)).flatMap(([cik, symbols]) => symbols.map((one) => [one, cik])),
  )
  const found = selection.map((name) => (/^(CIK)?\d{1,10}$/.test(name) ? padded(name) : bySymbol.get(listed(name))))
  return {
    ciks: [...new Set(found.filter((cik) => cik !== undefined))],
    unknown: selection.filter((_, at) => found[at] === undefined),
  }
}

/**
 * Tickers, then the list of filings of each company, which is small. The facts are megabytes and cannot be asked for
 * conditionally, so they are fetched only when there is a new filing with data.
 */
function plan(state: PlanState): SourceRequest[] {
  const { learned, held, today } = state
  const first: SourceRequest[] = [
    { part: TICKERS, url: 'https://www.sec.gov/files/company_tickers.json' },
    { part: EXCHANGES, url: 'https://www.sec.gov/files/company_tickers_exchange.json', optional: true },
  ]
  const { ciks } = ciksOf(state)
  const filings = ciks.map(
    (cik): SourceRequest => ({
      part: `filings-${cik}`,
      url: `https://data.sec.gov/submissions/CIK${cik}.json`,
      optional: true,
      about: { cik },
      learnsIfMissing: { [`latest ${cik}`]: `not listed in ${today.slice(0, 7)}` },
    }),
  )
  const facts = ciks.flatMap((cik): SourceRequest[] => {
    const [latest, part] = [learned[`latest ${cik}`], `facts-${cik}`]
    if (latest === undefined || (held[part] && learned[`facts ${cik}`] === latest)) return []
    return [
      {
        part,
        url: `https://data.sec.gov/api/xbrl/companyfacts/CIK${cik}.json`,
        optional: true,
        about: {
          cik,
          symbols: (symbolsOf(learned)[cik] ?? (learned[`tickers ${cik}`] || `CIK${cik}`).split(' ')).join(' '),
          mic: learned[`mic ${cik}`] ?? '',
        },
        learns: { [`facts ${cik}`]: latest },
      },
    ]
  })
  return [...first, ...filings, ...facts]
}

function parse(bytes: Uint8Array, request: SourceRequest): Parsed {
  if (request.part === TICKERS) return { rows: {}, learned: { tickers: JSON.stringify(tickersOf(bytes)) } }
  if (request.part === EXCHANGES) return { rows: {}, learned: exchangesOf(bytes) }
  const cik = request.about!.cik!
  if (request.part.startsWith('filings-')) return { rows: {}, learned: latestOf(bytes, cik) }
  const rows = rowsOf(bytes, cik, request.about!)
  return { rows, learned: { [`facts of ${cik}`]: String(rows[STATEMENTS]!.length) } }
}

function tickersOf(bytes: Uint8Array): Record<string, string[]> {
  const byCik: Record<string, string[]> = {}
  for (const { cik_str, ticker } of Object.values(jsonOf(bytes, tickers))) {
    const cik = padded(cik_str)
    byCik[cik] = [...(byCik[cik] ?? []), listed(ticker)]
  }
  if (Object.keys(byCik).length === 0) throw new BadAnswer('the list of tickers is empty')
  return byCik
}

function exchangesOf(bytes: Uint8Array): Record<string, string> {
  const { fields, data } = jsonOf(bytes, exchanges)
  const [cik, exchange] = [fields.indexOf('cik'), fields.indexOf('exchange')]
  if (cik === -1 || exchange === -1) throw new BadAnswer(`the list of exchanges has the columns ${fields.join(', ')}`)
  return Object.fromEntries(
    data.flatMap((row) => {
      const mic = mics[String(row[exchange])]
      return mic ? [[`mic ${padded(row[cik]!)}`, mic]] : []
    }),
  )
}

function latestOf(bytes: Uint8Array, cik: string): Record<string, string> {
  const { tickers: own, filings } = jsonOf(bytes, submissions)
  const { accessionNumber, isXBRL } = filings.recent
  const at = isXBRL.indexOf(1)
  return {
    [`latest ${cik}`]: at === -1 ? 'none' : accessionNumber[at]!,
    [`tickers ${cik}`]: (own ?? []).map(listed).join(' '),
  }
}

/** USD, USD/shares, shares: filers also write usd, USD / share and Shares. */
function usualUnit(unit: string): string {
  if (/^shares?$/i.test(unit)) return 'shares'
  const [, currency, perShare] = /^([a-z]{3})(\s*(?:\/|per)\s*shares?)?$/i.exec(unit) ?? []
  return currency ? `${currency.toUpperCase()}${perShare ? '/shares' : ''}` : unit
}

function rowsOf(
  bytes: Uint8Array,
  cik: string,
  { symbols = '', mic = '' }: Record<string, string>,
): Record<string, Row[]> {
  const answer = jsonOf(bytes, companyFacts)
  if (padded(answer.cik) !== cik) throw new BadAnswer(`the answer is about CIK ${answer.cik}, not ${cik}`)
  const name = answer.entityName
  const rows: Row[] = []
  let [read, odd, example] = [0, 0, '']
  for (const [taxonomy, tags] of Object.entries(answer.facts))
    for (const [short, { units }] of Object.entries(tags)) {
      const tag = `${taxonomy}:${short}`
      if (!filedTags.has(tag)) continue
      for (const [unit, list] of Object.entries(units))
        for (const given of list) {
          const parsed = fact.safeParse(given)
          read += 1
          if (!parsed.success) {
            odd += 1
            example ||= `${tag}: a fact has another form: ${JSON.stringify(given).slice(0, 200)}`
            continue
          }
          const { start = null, end, val, accn, fy = null, form, filed } = parsed.data
          // Typing errors of filers: a period that is not over, or ends before it begins.
          if (!isStatementForm(form) || end > filed || (start !== null && start > end)) continue
          rows.push({
            symbols,
            cik,
            name,
            tag,
            unit: usualUnit(unit),
            start,
            end,
            value: val,
            accession: accn,
            form,
            filed,
            fiscal_year: fy,
          })
        }
    }
  if (odd > 2 && odd * 100 > read * MOST_ODD_PERCENT) throw new BadAnswer(example)
  // Cover pages alone are no statements.
  if (rows.every(({ tag }) => tag === COVER_COUNT)) rows.length = 0
  const companies = symbols.split(' ').map((symbol) => ({ symbol, name, cik, mic: mic || null }))
  return { [STATEMENTS]: rows, ...(rows.length > 0 && { [COMPANIES]: companies }) }
}

const same = (...names: string[]) => Object.fromEntries(names.map((name) => [name, name]))
const terms = { license: manifest.terms.license, publisher: manifest.terms.attribution, redistribution: 'open' }

export const sec: Connector = {
  manifest: readConnectorManifest(manifest),
  plan,
  parse,
  unknown(state) {
    const { ciks, unknown } = ciksOf(state)
    return [
      ...unknown.map((name) => `${name}: the SEC lists no such symbol`),
      ...ciks
        .filter((cik) => state.learned[`facts of ${cik}`] === '0')
        .map((cik) => `CIK${cik}: none of its filings has statements as data`),
    ]
  },
  datasets: [
    {
      id: STATEMENTS,
      keys: { key: 'cik', date: 'filed', value: 'value', identity: ['tag', 'unit', 'start', 'end', 'accession'] },
      file: () => ({
        kind: 'filings',
        name: 'Financial statements filed with the SEC',
        fields: same(
          'symbols',
          'cik',
          'name',
          'tag',
          'unit',
          'start',
          'end',
          'value',
          'accession',
          'form',
          'filed',
          'fiscal_year',
        ),
        notes: ['As filed with the SEC, amended filings included; a fourth quarter is the year less nine months.'],
        ...terms,
      }),
    },
    {
      id: COMPANIES,
      keys: { key: 'symbol', date: 'none', value: null, identity: ['cik'] },
      file: () => ({
        kind: 'companies',
        name: 'Companies that file with the SEC',
        fields: same('symbol', 'name', 'cik', 'mic'),
        ...terms,
      }),
    },
  ],
}
