/** One line of CSV (RFC 4180), with its line end. */
export const csvLine = (cells: readonly unknown[]): string => `${cells.map(cell).join(',')}\r\n`

function cell(value: unknown): string {
  const text = plain(value)
  // A spreadsheet would run a text that looks like a formula. The JSON file has the text unchanged.
  const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

function plain(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? String(value) : value.toISOString()
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
