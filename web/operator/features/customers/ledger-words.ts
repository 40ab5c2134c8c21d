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
  calls: 'returned, because calls were voided',
}

/** A line of the ledger as a sentence. Spent credits are settled for many calls together. */
export function ledgerWords({ kind, delta, source, grant_id }: LedgerLine): string {
  const invoice = source.invoice_id ? `, invoice ${source.invoice_number ?? source.invoice_id}` : ''
  const of = `${grantNames[source.kind] ?? source.kind} (grant ${grant_id}${invoice})`
  switch (kind) {
    case 'grant':
      return `${credits(delta)} ${given[source.kind] ?? `added: ${source.kind}`} (grant ${grant_id}${invoice})`
    case 'debit':
      return `${credits(delta)} spent by calls, of: ${of}`
    case 'expiry':
      return `${credits(delta)} expired, of: ${of}`
    case 'refund':
      return `${credits(delta)} given back for calls that were not charged in the end, to: ${of}`
    case 'void':
      return `${credits(delta)} taken back, of: ${of}`
    case 'debt':
      return `${credits(delta)} repaid a debt of credits that were spent and then refunded, of: ${of}`
  }
}
