import type { FiledCompany, Filing } from '../market-data/companies/filings/filed-facts.ts'
import { COVER_COUNT } from '../market-data/companies/filings/filed-lines.ts'
import { annualRows, packAnnual, packCompany } from '../market-data/companies/filings/filings-file.ts'
import { dayText, parseDay } from '../market-data/dates.ts'
import type { FilingsManifest } from '../market-data/manifest.ts'
import type { DatasetFile } from './dataset-file.ts'
import type { ImportedData } from './import-dataset.ts'
import { eachRow, places } from './import-table.ts'
import { shownCell } from './read-cell.ts'
import type { Findings } from './report.ts'
import type { Rows } from './row-batch.ts'

const FIELDS = ['symbols', 'cik', 'name', 'tag', 'unit', 'end', 'value', 'accession', 'form', 'filed']
const OPTIONAL = ['start', 'fiscal_year']
const ACCESSION = /^\d{10}-\d{2}-\d{6}$/

/**
 * Facts of filings: the rows of one company follow each other. `symbols` are separated by spaces. Only one company is
 * unpacked at a time.
 */
export async function importFilings(
  dataset: Extract<DatasetFile, { kind: 'filings' }>,
  rows: Rows,
  findings: Findings,
): Promise<ImportedData> {
  const at = places(dataset, FIELDS, OPTIONAL)
  const blocks: Buffer[] = []
  const companies: FilingsManifest['companies'] = []
  const annual: Parameters<typeof packAnnual>[0] = []
  const seen = new Set<string>()
  let current: {
    company: FiledCompany & { facts: FiledCompany['facts'][number][] }
    symbols: string[]
    filings: Map<string, Filing>
  } | null = null
  let [offset, first, last] = [0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]

  const finish = (): void => {
    if (!current || current.company.facts.length === 0) return
    const { company, symbols } = current
    const block = packCompany(company)
    companies.push({
      symbols,
      cik: company.cik,
      name: company.name,
      offset,
      length: block.length,
      facts: company.facts.length,
    })
    for (const row of annualRows(company, symbols)) annual.push(row)
    blocks.push(block)
    offset += block.length
  }

  const total = await eachRow(dataset, rows, (row, where) => {
    const text = (name: string) => {
      const cell = at[name] === undefined ? null : row[at[name]]
      return cell === null || cell === undefined ? '' : String(cell).trim()
    }
    const bad = (code: string, name: string, what: string) =>
      findings.error(code, `${where()}, column ${dataset.fields[name]}: ${shownCell(text(name))} is no ${what}`)
    const cik = text('cik')
    if (current?.company.cik !== cik) {
      finish()
      if (!/^\d{1,10}$/.test(cik)) return bad('bad_cik', 'cik', 'CIK')
      if (seen.has(cik)) findings.error('not_grouped', `${where()}: rows of CIK ${cik} must follow each other`)
      seen.add(cik)
      const symbols = text('symbols').toUpperCase().split(' ').filter(Boolean)
      if (symbols.length === 0) findings.error('no_symbol', `${where()}, column ${dataset.fields.symbols}: empty`)
      current = { company: { cik, name: text('name'), facts: [] }, symbols, filings: new Map() }
    }
    const day = (name: string) => (/^\d{4}-\d{2}-\d{2}$/.test(text(name)) ? parseDay(text(name)) : Number.NaN)
    const [end, filed, start] = [day('end'), day('filed'), text('start') === '' ? null : day('start')]
    for (const [name, value] of Object.entries({ end, filed, start }))
      if (Number.isNaN(value)) return bad('bad_date', name, 'date such as 2024-12-31')
    if (start !== null && start > end)
      return findings.error('bad_period', `${where()}: the period ends before it begins`)
    const accession = text('accession')
    if (!ACCESSION.test(accession)) return bad('bad_accession', 'accession', 'accession number')
    const value = Number(text('value'))
    if (text('value') === '' || !Number.isFinite(value)) return bad('bad_number', 'value', 'number')
    const { filings, company } = current!
    const fiscalYear = text('fiscal_year') === '' ? null : Number(text('fiscal_year'))
    const filing = filings.get(accession) ?? { accession, form: text('form'), filed, fiscalYear }
    filings.set(accession, filing)
    company.facts.push({ tag: text('tag'), unit: text('unit'), start, end, value, filing })
    first = Math.min(first, end)
    // The data reach to the end of the last reported period, not to the day of a cover page.
    if (text('tag') !== COVER_COUNT) last = Math.max(last, end)
  })
  finish()
  if (total === 0 && findings.errors === 0) findings.error('no_rows', 'the source has no rows')
  const annualBlock = packAnnual(annual)
  return {
    rows: total,
    content: Buffer.concat([...blocks, annualBlock]),
    file: 'filings.bin',
    first: Number.isFinite(first) ? dayText(first) : '1970-01-01',
    last: Number.isFinite(last) ? dayText(last) : '1970-01-01',
    own: { kind: 'filings', annual: { offset, length: annualBlock.length }, companies },
  }
}
