import { readMoney } from '#contract/typed-money.ts'

/** Parses a typed whole number, US separators allowed; null if it is not one or is out of bounds. */
export function readWhole(typed: string, { min, max }: { min: number; max: number }): number | null {
  const text = typed.trim()
  if (!/^(\d+|\d{1,3}(,\d{3})+)$/.test(text)) return null
  const value = Number(text.replaceAll(',', ''))
  return value >= min && value <= max ? value : null
}

/** Parses a limit to minor units: '50', '49.90', '$1,000'. Null if it is not an amount or not above 0. */
export function readCents(typed: string, currency: string): number | null {
  const cents = readMoney(typed, currency)
  return cents !== null && cents > 0 && cents <= 100_000_000 ? cents : null
}
