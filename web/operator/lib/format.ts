import { formatMoney } from '#contract/currency.ts'

/** `2026-11-27 14:05`, in UTC: what the ledger counts by. */
export const utcTime = (iso: string): string => iso.slice(0, 16).replace('T', ' ')

/** `$1,234.50`. `cents`: minor units of `currency`, an ISO code in lower case. */
export const money = (cents: number, currency = 'usd'): string => formatMoney(cents, currency, true)

/** `12,345`. */
export const count = (value: number): string => value.toLocaleString('en-US')
