import { expect, test } from 'vitest'
import { readTerm } from '#contract/operator/search-term.ts'
import { makeKey, startOf } from '../../keys/key-format.ts'

test.each([
  ['rcpt_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', 'receipt', 'rcpt_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'],
  ['  0B0E6B4E-9d0d-4a8e-9d0b-1f6a3c1d2e3f ', 'id', '0b0e6b4e-9d0d-4a8e-9d0b-1f6a3c1d2e3f'],
  ['cus_NffrFeUfNV2Hib', 'payment_customer', 'cus_NffrFeUfNV2Hib'],
  ['in_1MtHbELkdIwHu7ixl4OzzPMv', 'invoice', 'in_1MtHbELkdIwHu7ixl4OzzPMv'],
  ['pi_3MtwBwLkdIwHu7ix28a3tqPa', 'payment', 'pi_3MtwBwLkdIwHu7ix28a3tqPa'],
  ['ch_3MmlLrLkdIwHu7ix0snN0B15', 'charge', 'ch_3MmlLrLkdIwHu7ix0snN0B15'],
  ['sub_1MowQVLkdIwHu7ixeRlqHVzs', 'subscription', 'sub_1MowQVLkdIwHu7ixeRlqHVzs'],
  ['sub_free_0b0e6b4e9d0d4a8e9d0b1f6a3c1d2e3f', 'subscription', 'sub_free_0b0e6b4e9d0d4a8e9d0b1f6a3c1d2e3f'],
  ['re_1Nispe2eZvKYlo2Cd31jOCgZ', 'refund', 're_1Nispe2eZvKYlo2Cd31jOCgZ'],
  ['evt_1NG8Du2eZvKYlo2CUI79vXWy', 'event', 'evt_1NG8Du2eZvKYlo2CUI79vXWy'],
  [`0x${'aB'.repeat(32)}`, 'transaction', `0x${'ab'.repeat(32)}`],
  [`0x${'aB'.repeat(20)}`, 'payer', `0x${'ab'.repeat(20)}`],
  ['Mara@Example.com', 'email', 'mara@example.com'],
  ['@acme.example', 'domain', 'acme.example'],
  ['Data.Acme.example', 'domain', 'data.acme.example'],
  ['7f0a9c1b-0001', 'invoice_number', '7F0A9C1B-0001'],
  ['Northwind Traders', 'name', 'Northwind Traders'],
  ['Müller & Söhne', 'name', 'Müller & Söhne'],
  ['fm_ab1', 'key', 'fm_ab1'],
])('%s is recognized as %s', (text, kind, value) => {
  expect(readTerm(text)).toEqual({ kind, value })
})

test.each([
  ['', '', ''],
  ['acme_', '', ' '],
  ['sub_', '', ''],
  ['fm_', 'Authorization: Bearer ', ''],
  ['fm_', '"', '",'],
  ['fm_', 'https://example.com/mcp?key=', '&a=1'],
  // Half of it, when the end was not copied.
  ['fm_', '', '', -9],
])(
  'a key with prefix %s within %s is cut to its start',
  (prefix, before, after, end: number | undefined = undefined) => {
    const key = makeKey(prefix || undefined)
    const term = readTerm(before + key.slice(0, end) + after)
    expect(term).toEqual({ kind: 'key', value: startOf(key) })
  },
)

test.each([
  ['the payment provider’s key', `sk_live_${'4eC39HqLyjWDarjtT1zdp7dc'}`],
  ['a webhook’s secret', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
  ['a token', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl'],
  ['a long random text', 'a8Sd7fQ2mK9xW4zLp0Vb6Ty3Ru1Ei5Og'],
  ['a wallet’s private key', 'ab'.repeat(32)],
  ['nothing', '   '],
])('%s is no term', (_, text) => {
  expect(readTerm(text)).toBeNull()
})
