import type { Invoice } from '#contract/billing.ts'
import { formatMoney } from '#contract/currency.ts'

/** What was paid, by currency: sums of different ones mean nothing. `currency`: of a sum of nothing. */
export function paidText(invoices: readonly Invoice[], currency: string): string {
  const sums = new Map<string, number>()
  for (const one of invoices)
    if (one.status === 'paid') sums.set(one.currency, (sums.get(one.currency) ?? 0) + one.amount)
  if (sums.size === 0) sums.set(currency, 0)
  return [...sums].map(([each, cents]) => formatMoney(cents, each, true)).join(' + ')
}
