import type { LedgerLine } from '#contract/operator/customers.ts'

const credits = (value: number): string => {
  const amount = Math.abs(value)
  return amount === 1 ? '1 credit' : `${amount.toLocaleString('en-US')} credits`
}

/** What credits are called by where they came from. */
export const grantNames: Record<string, string> = {
  free: 'free plan',
  plan: 'plan',
  trial: 'trial',
  topup: 'bought credits',
  promo: 'promotion',
  operator: 'granted by an operator',
  restore: 'returned',
  calls: 'returned from voided calls',
}

const given: Record<string, string> = {
  free: 'from the free plan',
  plan: 'with a plan',
  trial: 'with a trial',
  topup: 'bought',
  promo: 'as a promotion',
  operator: 'granted by an operator',
  restore: 'returned after a refund or dispute',
  calls: 'returned for voided calls',
}

/** A line of the ledger as a sentence. Spent credits are settled for many calls together. */
export function ledgerWords({ kind, delta, source, grant_id }: LedgerLine): string {
  const invoice = source.invoice_id ? `, invoice ${source.invoice_number ?? source.invoice_id}` : ''
  const grant = `grant ${grant_id} (${grantNames[source.kind] ?? source.kind}${invoice})`
  switch (kind) {
    case 'grant':
      return `${credits(delta)} ${given[source.kind] ?? `added: ${source.kind}`} (grant ${grant_id}${invoice})`
    case 'debit':
      return `${credits(delta)} burned by calls, from ${grant}`
    case 'expiry':
      return `${credits(delta)} expired, from ${grant}`
    case 'refund':
      return `${credits(delta)} given back for calls that were not charged in the end, to ${grant}`
    case 'void':
      return `${credits(delta)} taken back, from ${grant}`
    case 'debt':
      return `${credits(delta)} repaid a debt for credits that were burned and then refunded, from ${grant}`
  }
}
