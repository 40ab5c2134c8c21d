/** A CSV file of heads and rows. Cells with a comma, a quote or a line break are quoted; none is read as a formula. */
export function csvOf(heads: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  return [heads, ...rows]
    .map((row) => row.map(cellOf).join(','))
    .join('\n')
    .concat('\n')
}

function cellOf(value: string | number): string {
  if (typeof value === 'number') return String(value)
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
