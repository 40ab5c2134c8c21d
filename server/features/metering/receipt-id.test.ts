import fc from 'fast-check'
import { expect, test } from 'vitest'
import { newBatchId } from './batch.ts'
import { decodeReceiptId, encodeReceiptId } from './receipt-id.ts'

test('a receipt id holds its reference', () => {
  fc.assert(
    fc.property(
      fc.uuid(),
      fc.integer({ min: 1, max: 1000 }),
      fc.integer({ min: 0, max: 2 ** 52 }),
      (batch, n, atMicros) => {
        const id = encodeReceiptId({ batch, n, atMicros })
        expect(id).toMatch(/^rcpt_[A-Za-z0-9_-]{35}$/)
        expect(decodeReceiptId(id)).toEqual({ batch, n, atMicros })
      },
    ),
  )
})

test.each(['', 'rcpt_', 'rcpt_short', `rcpt_${'_'.repeat(35)}`, `rcpt_${'A'.repeat(36)}`, `RCPT_${'A'.repeat(35)}`])(
  '%j is not a receipt id',
  (text) => expect(decodeReceiptId(text)).toBeNull(),
)

test('batch ids are uuids, ascending and distinct', () => {
  const ids = Array.from({ length: 300 }, newBatchId)
  expect(new Set(ids).size).toBe(300)
  expect([...ids].sort()).toEqual(ids)
  expect(ids[0]).toMatch(/^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/)
})
