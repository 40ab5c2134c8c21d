import type { Invoice } from '#contract/billing.ts'
import type { TaxLine } from '../stripe/fetch-invoice.ts'

type Tax = NonNullable<Invoice['tax']>

/** Stripe's reasons for no tax, as we tell them apart. */
const untaxed: Record<string, NonNullable<Tax['untaxed']>> = {
  reverse_charge: 'reverse_charge',
  not_collecting: 'not_collecting',
  // Stripe Tax does not know this country.
  not_supported: 'not_collecting',
  no_location: 'no_location',
  customer_exempt: 'exempt',
  product_exempt: 'exempt',
  product_exempt_holiday: 'exempt',
  not_subject_to_tax: 'exempt',
  zero_rated: 'exempt',
}

/** The taxes of an invoice for its reader: those that cost something, and else why none does. */
export function presentTax(lines: TaxLine[]): Tax {
  const amount = lines.reduce((sum, { cents }) => sum + cents, 0)
  const reasons = lines.flatMap(({ reason }) => untaxed[reason ?? ''] ?? [])
  return {
    amount,
    lines: lines
      .filter(({ cents }) => cents !== 0)
      .map(({ label, percent, cents, included }) => ({ label, percent, amount: cents, included })),
    // One line of several that is taxed in another way does not speak for all.
    untaxed: amount === 0 && new Set(reasons).size === 1 ? reasons[0]! : null,
  }
}
