/** Text of a CSV file (RFC 4180) as rows of cells. */
export interface CsvRow {
  /** Line of the file where the row starts, from 1. */
  line: number
  cells: string[]
}

const BOM = '\uFEFF'
const delimiters = [',', ';', '\t', '|'] as const

/** The delimiter that occurs most often outside quotes in a header line. */
export function detectDelimiter(header: string): string {
  const bare = header.replaceAll(/"[^"]*"/g, '')
  const count = (delimiter: string) => bare.split(delimiter).length
  return [...delimiters].sort((a, b) => count(b) - count(a))[0]!
}

/**
 * Reads rows from chunks of text, with at most `maxRowLength` characters of a row in memory. Skips a byte order mark
 * and empty lines; quotes may contain delimiters and line breaks. Throws with the line of an unclosed quote or an
 * overlong row. `delimiter` absent: detected from the first line.
 */
export async function* csvBatches(
  chunks: AsyncIterable<string> | Iterable<string>,
  options: { delimiter?: string | undefined; maxRowLength?: number; quotes?: boolean } = {},
): AsyncGenerator<CsvRow[]> {
  const { maxRowLength = 1_000_000, quotes = true } = options
  let delimiter = options.delimiter
  let buffer = ''
  let line = 1
  let first = true
  const tooLong = () =>
    new Error(`Line ${line} is longer than ${maxRowLength} characters, or a quote in it is never closed.`)
  for await (const chunk of chunks) {
    buffer += first && chunk.startsWith(BOM) ? chunk.slice(1) : chunk
    if (chunk.length > 0) first = false
    let start = 0
    const rows: CsvRow[] = []
    const find = quotes ? rowFinder(buffer) : (from: number) => buffer.indexOf('\n', from)
    while (true) {
      const end = find(start)
      if (end === -1) break
      const text = buffer.slice(start, buffer[end - 1] === '\r' ? end - 1 : end)
      delimiter ??= detectDelimiter(text)
      if (text !== '') rows.push({ line, cells: quotes ? splitRow(text, delimiter) : [text] })
      line += text.includes('\n') ? text.split('\n').length : 1
      start = end + 1
    }
    buffer = start > 0 ? buffer.slice(start) : buffer
    if (rows.length > 0) yield rows
    if (buffer.length > maxRowLength) throw tooLong()
  }
  if (buffer === '') return
  if (quotes && quotesIn(buffer) % 2 === 1) throw new Error(`Line ${line}: a quote is opened and never closed.`)
  const text = buffer.endsWith('\r') ? buffer.slice(0, -1) : buffer
  if (text !== '') yield [{ line, cells: quotes ? splitRow(text, delimiter ?? detectDelimiter(text)) : [text] }]
}

/**
 * Finds the line break that ends the row starting at `start`; -1 if it has not arrived yet. Searches for the next quote
 * once, not once per row, since most files have none.
 */
function rowFinder(text: string): (start: number) => number {
  let quote = text.indexOf('"')
  return (start) => {
    let end = text.indexOf('\n', start)
    if (quote !== -1 && quote < start) quote = text.indexOf('"', start)
    if (end === -1 || quote === -1 || quote > end) return end
    let quotes = 0
    let from = start
    while (end !== -1) {
      for (let at = text.indexOf('"', from); at !== -1 && at < end; at = text.indexOf('"', at + 1)) quotes += 1
      if (quotes % 2 === 0) return end
      from = end
      end = text.indexOf('\n', end + 1)
    }
    return -1
  }
}

const quotesIn = (text: string): number => text.split('"').length - 1

function splitRow(text: string, delimiter: string): string[] {
  if (!text.includes('"')) return text.split(delimiter)
  const cells: string[] = []
  let at = 0
  while (at <= text.length) {
    if (text[at] === '"') {
      let end = at + 1
      while (end < text.length && (text[end] !== '"' || text[end + 1] === '"')) end += text[end] === '"' ? 2 : 1
      const next = text.indexOf(delimiter, end + 1)
      const stop = next === -1 ? text.length : next
      cells.push(text.slice(at + 1, end).replaceAll('""', '"') + text.slice(end + 1, stop))
      at = stop + 1
    } else {
      const next = text.indexOf(delimiter, at)
      const stop = next === -1 ? text.length : next
      cells.push(text.slice(at, stop))
      at = stop + 1
    }
  }
  return cells
}

/** All rows of a text in memory. */
export function csvRowsOf(text: string, delimiter?: string): CsvRow[] {
  const rows: CsvRow[] = []
  let at = text.startsWith(BOM) ? 1 : 0
  let line = 1
  let mark = delimiter
  const find = rowFinder(text)
  while (at < text.length) {
    const found = find(at)
    const end = found === -1 ? text.length : found
    const row = text.slice(at, text[end - 1] === '\r' ? end - 1 : end)
    mark ??= detectDelimiter(row)
    if (row !== '') rows.push({ line, cells: splitRow(row, mark) })
    line += row.includes('\n') ? row.split('\n').length : 1
    at = end + 1
  }
  return rows
}
