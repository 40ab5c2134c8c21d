import type Stripe from 'stripe'
import { beforeAll, describe, expect, it } from 'vitest'
import { customerWith, finalInvoice } from '../testing/harness.ts'
import { bench, shareBench, stripe } from '../testing/shared-bench.ts'
import { buyerAt, sellFrom, taxedDraft, taxesOf } from '../testing/taxed.ts'

shareBench()
beforeAll(() => sellFrom(stripe, 'DE'))

/** A paid invoice of a German customer over these net or gross amounts. */
async function paid(amounts: number[], tax_behavior: 'exclusive' | 'inclusive' = 'exclusive') {
  const { customer } = await buyerAt(stripe, 'DE')
  const draft = await taxedDraft(stripe, customer.id, amounts, { tax_behavior })
  const invoice = await stripe.invoices.pay(draft.id as string, { expand: ['payments'] })
  return {
    customer,
    invoice,
    id: invoice.id as string,
    intent: invoice.payments?.data[0]?.payment.payment_intent as string,
  }
}
const net = (note: Stripe.CreditNote) => [note.total, note.total_excluding_tax, taxesOf(note)[0]?.[0]]

describe('a credit note', () => {
  it('refunds an amount with its tax, in proportion', async () => {
    const { id, intent } = await paid([6000, 4000])
    const preview = await stripe.creditNotes.preview({ invoice: id, amount: 2380 })
    expect(net(preview)).toEqual([2380, 2000, 380])
    expect((await stripe.creditNotes.list({ invoice: id })).data).toEqual([])
    const note = await stripe.creditNotes.create({
      invoice: id,
      amount: 2380,
      refund_amount: 2380,
      reason: 'order_change',
    })
    expect([net(note), note.lines.data.map((line) => line.amount), note.type, note.post_payment_amount]).toEqual([
      [2380, 2000, 380],
      [1200, 800],
      'post_payment',
      2380,
    ])
    expect(note.number).toMatch(/-CN-01$/)
    const refund = (await stripe.refunds.list({ payment_intent: intent })).data[0]
    expect([refund?.amount, note.refunds[0]?.refund, note.refunds[0]?.amount_refunded]).toEqual([
      2380,
      refund?.id,
      2380,
    ])
    expect(await stripe.invoices.retrieve(id)).toMatchObject({ post_payment_credit_notes_amount: 2380 })
    expect((await stripe.creditNotes.retrieve(note.id)).memo).toBeNull()
    await bench.sandbox.flush()
    expect(bench.types()).toEqual(expect.arrayContaining(['refund.created', 'credit_note.created']))
  })

  it.each([
    ['exclusive', [333, 333, 334], [7, 11, 13, 101]],
    ['inclusive', [333, 333, 334], [7, 11, 13, 101]],
    ['exclusive', [1, 1], [1]],
    ['inclusive', [1999], [1, 1, 1, 998]],
  ] as const)(
    'in parts adds up to the invoice and its tax, to the cent (%s, %j, %j)',
    async (behavior, amounts, parts) => {
      const { id, invoice } = await paid([...amounts], behavior)
      const rest = invoice.total - parts.reduce((sum, part) => sum + part, 0)
      const notes: Stripe.CreditNote[] = []
      for (const amount of [...parts, rest].filter((one) => one > 0))
        notes.push(await stripe.creditNotes.create({ invoice: id, amount, out_of_band_amount: amount }))
      const sum = (of: (note: Stripe.CreditNote) => number) => notes.reduce((total, note) => total + of(note), 0)
      expect(notes.map((note) => note.total)).toEqual([...parts, rest].filter((one) => one > 0))
      expect([sum((note) => note.total), sum((note) => note.total_excluding_tax ?? 0)]).toEqual([
        invoice.total,
        invoice.total_excluding_tax,
      ])
      for (const note of notes) for (const tax of note.total_taxes ?? []) expect(tax.amount).toBeGreaterThanOrEqual(0)
      await expect(stripe.creditNotes.create({ invoice: id, amount: 1, out_of_band_amount: 1 })).rejects.toMatchObject({
        statusCode: 400,
        param: 'amount',
      })
    },
  )

  it('credits lines, a refund that was already made, and the balance', async () => {
    const { customer, id, invoice, intent } = await paid([1000, 2000])
    const line = invoice.lines.data.find((one) => one.amount === 1000)?.id as string
    const lines = [{ type: 'invoice_line_item' as const, invoice_line_item: line, amount: 500 }]
    const made = await stripe.refunds.create({ payment_intent: intent, amount: 595 })
    const note = await stripe.creditNotes.create({ invoice: id, lines, refunds: [{ refund: made.id }] })
    expect([net(note), note.lines.data[0]?.invoice_line_item]).toEqual([[595, 500, 95], line])
    await expect(
      stripe.creditNotes.create({ invoice: id, lines: [{ ...lines[0], amount: 501 } as never], credit_amount: 596 }),
    ).rejects.toMatchObject({ param: 'lines' })
    await expect(
      stripe.creditNotes.create({ invoice: id, lines: [...lines, ...lines], credit_amount: 1 }),
    ).rejects.toMatchObject({ param: 'lines' })
    await stripe.creditNotes.create({ invoice: id, lines, credit_amount: 595 })
    expect((await stripe.customers.retrieve(customer.id)) as Stripe.Customer).toMatchObject({ balance: -595 })
  })

  it('cannot credit what was refunded without one, unless it names the refund', async () => {
    const { id, intent } = await paid([1000])
    const made = await stripe.refunds.create({ payment_intent: intent, amount: 1000 })
    await expect(
      stripe.creditNotes.create({ invoice: id, amount: 191, out_of_band_amount: 191 }),
    ).rejects.toMatchObject({ param: 'amount' })
    const note = await stripe.creditNotes.create({ invoice: id, amount: 1000, refunds: [{ refund: made.id }] })
    expect(net(note)).toEqual([1000, 840, 160])
    expect((await stripe.creditNotes.create({ invoice: id, amount: 190, refund_amount: 190 })).total).toBe(190)
  })

  it('lowers what is left to pay of an open invoice, until nothing is', async () => {
    const { customer } = await buyerAt(stripe, 'DE')
    const draft = await taxedDraft(stripe, customer.id, [1000])
    const id = (await stripe.invoices.finalizeInvoice(draft.id as string)).id as string
    const note = await stripe.creditNotes.create({ invoice: id, amount: 190 })
    expect([note.type, note.pre_payment_amount, note.post_payment_amount]).toEqual(['pre_payment', 190, 0])
    expect(await stripe.invoices.retrieve(id)).toMatchObject({ amount_remaining: 1000, status: 'open' })
    await stripe.creditNotes.create({ invoice: id, amount: 1000 })
    expect(await stripe.invoices.retrieve(id)).toMatchObject({ amount_remaining: 0, status: 'paid' })
  })

  it('is refused when its parts do not add up, or for a draft', async () => {
    const { id, intent } = await paid([1000])
    const wrong = (params: Partial<Stripe.CreditNoteCreateParams>) =>
      expect(stripe.creditNotes.create({ invoice: id, ...params })).rejects
    await wrong({ amount: 100 }).toMatchObject({ message: expect.stringContaining('must equal') })
    await wrong({ amount: 100, refund_amount: 99 }).toMatchObject({ message: expect.stringContaining('must equal') })
    await wrong({ amount: 1191, refund_amount: 1191 }).toMatchObject({ param: 'amount' })
    await wrong({ amount: -1 }).toMatchObject({ param: 'amount' })
    await wrong({}).toMatchObject({ code: 'parameter_missing' })
    await wrong({ amount: 100, credit_amount: 200, out_of_band_amount: -100 }).toMatchObject({ statusCode: 400 })
    const other = await paid([1000])
    const foreign = (await stripe.refunds.create({ payment_intent: other.intent, amount: 100 })).id
    await wrong({ amount: 100, refunds: [{ refund: foreign }] }).toMatchObject({ param: 'refunds' })
    await wrong({ amount: 100, refunds: [{ refund: 're_none' }] }).toMatchObject({ statusCode: 404 })
    const lines = [{ type: 'invoice_line_item' as const, invoice_line_item: 'il_none', amount: 1 }]
    await wrong({ lines, refund_amount: 1 }).toMatchObject({ param: 'lines[0][invoice_line_item]' })
    const draft = await stripe.invoices.create({ customer: (await customerWith(stripe, null)).id })
    await expect(stripe.creditNotes.create({ invoice: draft.id as string, amount: 1 })).rejects.toMatchObject({
      param: 'invoice',
    })
    expect((await stripe.refunds.list({ payment_intent: intent })).data).toEqual([])
  })

  it('needs no tax', async () => {
    const open = await finalInvoice(stripe, (await customerWith(stripe, null)).id, 500)
    const note = await stripe.creditNotes.create({ invoice: open.id as string, amount: 500 })
    expect([note.total, note.total_excluding_tax, note.total_taxes]).toEqual([500, 500, []])
  })
})
