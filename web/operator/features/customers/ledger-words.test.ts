import { expect, test } from 'vitest'
import type { LedgerLine } from '#contract/operator/customers.ts'
import { ledgerWords } from './ledger-words.ts'

const line = (kind: LedgerLine['kind'], delta: number, source: string, invoice: string | null = null): LedgerLine => ({
  id: 1,
  at: '2026-11-27T00:00:00Z',
  kind,
  delta,
  grant_id: 7,
  source: { kind: source, invoice_id: invoice && `in_${invoice}`, invoice_number: invoice },
})

test.each([
  [line('grant', 5000, 'topup', 'A-0001'), '5,000 credits bought (grant 7, invoice A-0001)'],
  [line('grant', 1, 'operator'), '1 credit granted by an operator (grant 7)'],
  [line('debit', -8, 'plan', 'A-0002'), '8 credits burned by calls, from grant 7 (plan, invoice A-0002)'],
  [line('expiry', -1000, 'free'), '1,000 credits expired, from grant 7 (free plan)'],
  [
    line('refund', 3, 'free'),
    '3 credits given back for calls that were not charged in the end, to grant 7 (free plan)',
  ],
  [line('void', -40, 'topup', 'A-0001'), '40 credits taken back, from grant 7 (bought credits, invoice A-0001)'],
  [
    line('debt', -2, 'promo'),
    '2 credits repaid a debt for credits that were burned and then refunded, from grant 7 (promotion)',
  ],
])('%o', (given, words) => {
  expect(ledgerWords(given)).toBe(words)
})
