/** One daily bar on its way from a package to a compact file. Optional cells exist only where the source has them. */
export interface BarRow {
  date: string
  open: number
  high: number
  low: number
  close: number
  volume: number
  adjClose?: number
  /** New shares for one old share, on the first day of trading after the split. */
  split?: number
  /** Currency units per share, on the ex-date. */
  dividend?: number
}

/** Rows of a delimited text with a header, as objects keyed by lower-case header; quotes around cells are dropped. */
export function parseTable(text: string, delimiter: ',' | '\t'): Record<string, string>[] {
  const [header = '', ...lines] = text.trim().split(/\r?\n/)
  const cells = (line: string) => line.split(delimiter).map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'))
  const names = cells(header).map((name) => name.toLowerCase())
  return lines.map((line) => {
    const values = cells(line)
    return Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']))
  })
}

/**
 * The number without the noise of a 32-bit float that was printed with six decimals (186.550003 is 186.55): seven
 * significant digits, which is all that such a float holds. The change is below 1 part in 2,000,000.
 */
export const price = (text: string): number => {
  const value = Number(text)
  if (text === '' || !Number.isFinite(value)) throw new Error(`Not a price: "${text}"`)
  return Number(value.toPrecision(7))
}

/** Bars of a table with columns date, open, high, low, close, volume in any order, oldest first. */
export function barRows(table: Record<string, string>[]): BarRow[] {
  return table
    .map((row) => ({
      date: row.date!,
      open: price(row.open!),
      high: price(row.high!),
      low: price(row.low!),
      close: price(row.close!),
      volume: Number(row.volume),
    }))
    .sort((a, b) => (a.date < b.date ? -1 : 1))
}
