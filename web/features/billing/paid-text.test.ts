import { expect, test } from 'vitest'
import { paidText } from './paid-text.ts'

const invoice = (amount: number, currency: string, status: 'paid' | 'open' = 'paid') => ({
  id: `in_${amount}`,
  number: 'A-1',
  description: null,
  created_at: '2026-11-27T00:00:00.000Z',
  amount,
  currency,
  status,
  invoice_pdf: null,
  receipt: null,
})

test('what was paid is added up by currency', () => {
  expect(
    paidText([invoice(1900, 'usd'), invoice(2900, 'jpy'), invoice(100, 'usd'), invoice(700, 'eur', 'open')], 'eur'),
  ).toBe('$20.00 + ¥2,900')
  expect(paidText([], 'eur')).toBe('€0.00')
})
