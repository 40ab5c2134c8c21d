/** Parses a typed whole number, US separators allowed; null if it is not one or is out of bounds. */
export function readWhole(typed: string, { min, max }: { min: number; max: number }): number | null {
  const text = typed.trim()
  if (!/^(\d+|\d{1,3}(,\d{3})+)$/.test(text)) return null
  const value = Number(text.replaceAll(',', ''))
  return value >= min && value <= max ? value : null
}

/** Parses a dollar amount to cents: '50', '49.90', '$1,000'. Null if it is not one or not above 0. */
export function readCents(typed: string): number | null {
  const text = typed.trim().replace(/^\$/, '')
  if (!/^(\d+|\d{1,3}(,\d{3})+)(\.\d{1,2})?$/.test(text)) return null
  const cents = Math.round(Number(text.replaceAll(',', '')) * 100)
  return cents > 0 && cents <= 100_000_000 ? cents : null
}
