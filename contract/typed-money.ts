import { exponentOf } from './currency.ts'

/** A typed amount in minor units: '50', '49.90', '$1,000'. Null if it is not one, or has more decimals than the currency. */
export function readMoney(typed: string, currency: string): number | null {
  const exponent = exponentOf(currency)
  const text = typed.trim().replace(/^\$/, '')
  const [, units, part = ''] = /^(\d{1,9}|\d{1,3}(?:,\d{3}){1,2})(?:\.(\d+))?$/.exec(text) ?? []
  if (units === undefined || part.length > exponent) return null
  return Number(units.replaceAll(',', '') + part.padEnd(exponent, '0'))
}

/** An amount as a form holds it: '49.90'. */
export const typedMoney = (minor: number, currency: string): string =>
  (minor / 10 ** exponentOf(currency)).toFixed(exponentOf(currency))
