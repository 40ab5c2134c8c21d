import { gzipSync } from 'node:zlib'
import { statementLines } from '../market-data/companies/statement-lines.ts'
import { dayText } from '../market-data/dates.ts'
import type { DatasetFile, SeriesFile } from './dataset-file.ts'
import type { ImportedData } from './import-dataset.ts'
import { dateSample, dayReader, numberReader, shownCell } from './read-cell.ts'
import type { Findings } from './report.ts'
import type { Rows } from './row-batch.ts'

type Line = (string | number | null)[]

/** Series in long form (`series`, `date`, `value`) become one column each. */
export async function importSeries(dataset: SeriesFile, rows: Rows, findings: Findings): Promise<ImportedData> {
  const at = places(dataset, ['series', 'date', 'value'], [])
  const [readDay, readNumber] = [dayReader(dataset), numberReader(dataset)]
  const ids = Object.keys(dataset.series)
  const byDay = new Map<number, (number | null)[]>()
  const total = await eachRow(dataset, rows, (row, where) => {
    const id = String(row[at.series!] ?? '').trim()
    const column = ids.indexOf(id)
    const day = readDay(row[at.date!])
    const value = readNumber(row[at.value!])
    if (column === -1)
      return findings.error(
        'unknown_series',
        `${where()}, column ${dataset.fields.series}: ${shownCell(id)} is none of ${ids.slice(0, 8).join(', ')}`,
      )
    if (Number.isNaN(day))
      return findings.error(
        'bad_date',
        `${where()}, column ${dataset.fields.date}: ${shownCell(row[at.date!])} is no date ${dateSample(dataset)}`,
      )
    if (value === null) return
    if (!Number.isFinite(value))
      return findings.error(
        'bad_number',
        `${where()}, column ${dataset.fields.value}: ${shownCell(row[at.value!])} is no number`,
      )
    const cells = byDay.get(day) ?? ids.map(() => null)
    if (cells[column] !== null && dataset.duplicates === 'error')
      findings.error('duplicate', `${where()}: ${id} has a second value for ${dayText(day)}`)
    cells[column] = value
    byDay.set(day, cells)
  })
  const lines: Line[] = [...byDay].sort(([a], [b]) => a - b).map(([day, cells]) => [dayText(day), ...cells])
  for (const [column, id] of ids.entries())
    if (!lines.some((line) => line[column + 1] !== null)) findings.error('empty_series', `${id} has no value`)
  const columns = ids.map((_, index) => `s${index}`)
  const series = ids.map((id, index) => ({ id, column: columns[index]!, ...dataset.series[id]! }))
  return table(
    total,
    ['date', ...columns],
    lines,
    0,
    { kind: 'series', frequency: dataset.frequency, ...(dataset.base && { base: dataset.base }), series },
    findings,
  )
}

/** Statements: `symbol`, `period_end`, optionally `fiscal_year`, and lines under our names. */
export async function importStatements(
  dataset: Extract<DatasetFile, { kind: 'statements' }>,
  rows: Rows,
  findings: Findings,
): Promise<ImportedData> {
  const names = statementLines.map(({ name }) => name)
  const at = places(dataset, ['symbol', 'period_end'], ['fiscal_year', ...names])
  const [readDay, readNumber] = [dayReader(dataset), numberReader(dataset)]
  const held = names.filter((name) => at[name] !== undefined)
  const seen = new Set<string>()
  const lines: Line[] = []
  const total = await eachRow(dataset, rows, (row, where) => {
    const symbol = String(row[at.symbol!] ?? '')
      .trim()
      .toUpperCase()
    const day = readDay(row[at.period_end!])
    if (symbol === '') return findings.error('no_symbol', `${where()}, column ${dataset.fields.symbol}: empty`)
    if (Number.isNaN(day))
      return findings.error(
        'bad_date',
        `${where()}, column ${dataset.fields.period_end}: ${shownCell(row[at.period_end!])} is no date ${dateSample(dataset)}`,
      )
    if (seen.has(`${symbol} ${day}`))
      return findings.error('duplicate', `${where()}: ${symbol} has a second statement for ${dayText(day)}`)
    seen.add(`${symbol} ${day}`)
    const number = (name: string) => {
      const value = at[name] === undefined ? null : readNumber(row[at[name]])
      if (value !== null && !Number.isFinite(value))
        findings.error(
          'bad_number',
          `${where()}, column ${dataset.fields[name]}: ${shownCell(row[at[name]!])} is no number`,
        )
      return value
    }
    lines.push([symbol, dayText(day), number('fiscal_year'), ...held.map(number)])
  })
  return table(
    total,
    ['symbol', 'period_end', 'fiscal_year', ...held],
    lines,
    1,
    { kind: 'statements', currency: dataset.currency },
    findings,
  )
}

/** Listed companies: `symbol` and its facts. */
export async function importCompanies(
  dataset: Extract<DatasetFile, { kind: 'companies' }>,
  rows: Rows,
  findings: Findings,
): Promise<ImportedData> {
  const columns = ['symbol', 'name', 'mic', 'sector', 'industry', 'cik']
  const at = places(dataset, ['symbol'], columns.slice(1))
  const lines: Line[] = []
  const total = await eachRow(dataset, rows, (row, where) => {
    const cells = columns.map((name) => (at[name] === undefined ? null : String(row[at[name]] ?? '').trim()))
    if (!cells[0]) findings.error('no_symbol', `${where()}, column ${dataset.fields.symbol}: empty`)
    lines.push(cells)
  })
  return table(total, columns, lines, null, { kind: 'companies' }, findings)
}

/** Calls `read` for every row. Throws above the limit; reports when there are no rows. */
export async function eachRow(
  { limits, id }: DatasetFile,
  rows: Rows,
  read: (row: readonly unknown[], where: () => string) => void,
): Promise<number> {
  let total = 0
  for await (const { cells, where } of rows)
    for (const [index, row] of cells.entries()) {
      total += 1
      if (total > limits.rows)
        throw new Error(
          `${where(index)}: more than ${limits.rows.toLocaleString('en-US')} rows. Raise limits.rows of ${id} if this is intended.`,
        )
      read(row, () => where(index))
    }
  return total
}

export function places(
  { id, kind, fields }: DatasetFile,
  required: string[],
  optional: string[],
): Record<string, number | undefined> {
  const names = Object.keys(fields)
  const absent = required.find((name) => !names.includes(name))
  if (absent) throw new Error(`${id}: fields must map ${required.join(', ')}; ${absent} is missing.`)
  const unknown = names.find((name) => !required.includes(name) && !optional.includes(name))
  if (unknown)
    throw new Error(`${id}: ${kind} have no field ${unknown}. Possible: ${[...required, ...optional].join(', ')}.`)
  return Object.fromEntries(names.map((name, index) => [name, index]))
}

function table(
  rows: number,
  header: string[],
  lines: Line[],
  dateAt: number | null,
  own: ImportedData['own'],
  findings: Findings,
): ImportedData {
  if (rows === 0 && findings.errors === 0) findings.error('no_rows', 'the source has no rows')
  const dates = dateAt === null ? [] : lines.map((line) => String(line[dateAt])).sort()
  const today = new Date().toISOString().slice(0, 10)
  return {
    rows: lines.length,
    content: gzipSync([header, ...lines].map((line) => line.map(csvCell).join(',')).join('\n')),
    file: 'table.csv.gz',
    first: dates[0] ?? today,
    last: dates.at(-1) ?? today,
    own,
  }
}

function csvCell(cell: string | number | null): string {
  const text = cell === null ? '' : String(cell)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
