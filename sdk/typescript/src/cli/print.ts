export type Scalar = string | number | boolean | null | undefined

/** Control characters of a server must not reach the terminal. */
const clean = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}]/gu, (one) => (one === '\t' ? ' ' : '\uFFFD'))
const shown = (value: Scalar): string => (value === null || value === undefined ? '' : clean(String(value)))

export const out = (text: string): void => void process.stdout.write(text)
const cleanLines = (text: string): string => text.split('\n').map(clean).join('\n')
/** For people: what a script does not read. It may quote a server. */
export const note = (text: string): void => void process.stderr.write(`${cleanLines(text)}\n`)
export const printJson = (value: unknown): void => out(`${JSON.stringify(value, null, 2)}\n`)
/** Text of a server, with its lines. */
export const printText = (text: string): void => out(`${cleanLines(text).trimEnd()}\n`)

/** A table with a header; numbers to the right. */
export function printTable(columns: readonly string[], rows: readonly (readonly Scalar[])[]): void {
  const cells = rows.map((row) => columns.map((_, at) => shown(row[at])))
  const isNumber = columns.map((_, at) => rows.length > 0 && rows.every((row) => typeof (row[at] ?? 0) === 'number'))
  const widths = columns.map((name, at) => Math.max(name.length, ...cells.map((row) => row[at]!.length)))
  const line = (row: readonly string[]) =>
    row
      .map((cell, at) => (isNumber[at] ? cell.padStart(widths[at]!) : cell.padEnd(widths[at]!)))
      .join('  ')
      .trimEnd()
  out(`${[columns, ...cells].map(line).join('\n')}\n`)
}

/** Names and values, one a line. */
export function printFacts(facts: Record<string, Scalar>): void {
  const width = Math.max(...Object.keys(facts).map((name) => name.length))
  for (const [name, value] of Object.entries(facts)) out(`${name.padEnd(width)}  ${shown(value)}\n`)
}
