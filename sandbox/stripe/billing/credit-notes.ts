import type Stripe from 'stripe'
import { invalid } from '../api/errors.ts'
import { complete } from '../api/shape.ts'
import { type Handler, pick } from '../objects/assign.ts'
import type { Body, Charge, Invoice, Line, List, PaymentIntent, Refund, Tax } from '../objects/bodies.ts'
import { createRefund } from '../objects/refunds.ts'
import { newId, type Session } from '../objects/session.ts'
import { sumTaxes, taxOf } from '../tax/compute.ts'
import { balanceIn, setBalance } from './currency.ts'
import { markPaid } from './mark-paid.ts'
import { money, round } from './money.ts'

type Params = Stripe.CreditNoteCreateParams

interface NoteLine extends Body {
  amount: number
  invoice_line_item?: string
  taxes: Tax[]
}

interface CreditNote extends Body {
  total: number
  refunds: { amount_refunded: number }[]
  lines: List<NoteLine>
  pre_payment_amount: number
  post_payment_amount: number
}

const grossOf = ({ amount, taxes = [] }: { amount: number; taxes?: Tax[] }) => amount + taxOf(taxes, 'exclusive')
const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)

/** The share `part / whole` of an amount. Shares of what is left never add up to more, and the last one takes all. */
function portion(amount: number, part: number, whole: number): number {
  if (whole === 0) return 0
  const big = (value: number) => BigInt(Math.abs(value))
  return Math.sign(amount) * Math.sign(part) * Math.sign(whole) * round(big(amount) * big(part), big(whole))
}

interface Credited {
  line: Line
  /** What earlier credit notes have left of the line. */
  net: number
  taxes: Tax[]
}

function leftOf(line: Line, notes: CreditNote[]): Credited {
  const before = notes.flatMap((note) => note.lines.data.filter((one) => one.invoice_line_item === line.id))
  const taxes = (line.taxes ?? []).map((tax, at) => ({
    ...tax,
    amount: tax.amount - sum(before.map((one) => one.taxes[at]?.amount ?? 0)),
    taxable_amount: (tax.taxable_amount ?? 0) - sum(before.map((one) => one.taxes[at]?.taxable_amount ?? 0)),
  }))
  return { line, net: line.amount - sum(before.map(({ amount }) => amount)), taxes }
}

/** Credits `net` of a line with the taxes on it; `gross`, if given, is what both must add up to. */
function creditLine({ line, net: left, taxes: taxesLeft }: Credited, net: number, gross: number | null): NoteLine {
  if (net * left < 0 || Math.abs(net) > Math.abs(left))
    throw invalid('The credit note is larger than what is left of the invoice line.', { param: 'lines' })
  const taxes = taxesLeft.map((tax) => ({
    ...tax,
    amount: portion(tax.amount, net, left),
    taxable_amount: portion(tax.taxable_amount ?? 0, net, left),
  }))
  const last = taxes.filter((tax) => tax.tax_behavior === 'exclusive').at(-1)
  if (gross !== null && last) last.amount += gross - grossOf({ amount: net, taxes })
  return {
    id: newId('cnli'),
    object: 'credit_note_line_item',
    amount: net,
    description: String(line.description ?? ''),
    discount_amount: 0,
    invoice_line_item: line.id,
    type: 'invoice_line_item',
    quantity: null,
    unit_amount: null,
    taxes,
  }
}

/** Spreads an amount with tax over the lines, in proportion to what is left of them. */
function creditAmount(lines: Credited[], amount: number): NoteLine[] {
  const grosses = lines.map(({ net, taxes }) => grossOf({ amount: net, taxes }))
  const whole = sum(grosses)
  let [seen, given] = [0, 0]
  return lines.flatMap((one, at) => {
    const gross = grosses[at] ?? 0
    seen += gross
    const due = portion(amount, seen, whole) - given
    given += due
    return due === 0 ? [] : [creditLine(one, portion(one.net, due, gross), due)]
  })
}

function readLines(known: Credited[], given: NonNullable<Params['lines']>): NoteLine[] {
  const ids = given.map((wanted) => wanted.invoice_line_item)
  if (new Set(ids).size < ids.length)
    throw invalid('A credit note can name each invoice line once.', { param: 'lines' })
  return given.map((wanted, index) => {
    const name = `lines[${index}]`
    if (wanted.type !== 'invoice_line_item')
      throw invalid('The sandbox credits lines of the invoice only.', { param: `${name}[type]` })
    const found = known.find(({ line }) => line.id === wanted.invoice_line_item)
    if (!found)
      throw invalid(`No such invoice line item: '${wanted.invoice_line_item}'`, { param: `${name}[invoice_line_item]` })
    const { line } = found
    const net = wanted.amount ?? portion(line.amount, wanted.quantity ?? line.quantity ?? 1, line.quantity ?? 1)
    return creditLine(found, net, null)
  })
}

/** How much of a credit note is paid back, and how: each cent after payment has exactly one way. */
async function readWays(tx: Session, params: Params, invoice: Invoice, post: number) {
  const linked = await readRefunds(tx, params, invoice)
  const { currency } = invoice
  const { refund_amount = 0, credit_amount = 0, out_of_band_amount = 0 } = params
  const ways = refund_amount + credit_amount + out_of_band_amount + sum(linked.map((one) => one.amount_refunded))
  if (ways !== post || Math.min(refund_amount, credit_amount, out_of_band_amount) < 0)
    throw invalid(
      `The sum of credit amount, refund amount and out of band amount (${money(ways, currency)}) must equal the post-payment credit note amount (${money(post, currency)}).`,
    )
  return { linked, refund_amount, credit_amount, out_of_band_amount }
}

/** What was paid back without a credit note; it can no longer be credited. */
async function looseRefunds(tx: Session, invoice: Invoice, notes: CreditNote[], params: Params): Promise<number> {
  const intent = invoice._payment ? await tx.maybe<PaymentIntent>(invoice._payment) : null
  const charge = intent?.latest_charge ? await tx.maybe<Charge>(intent.latest_charge) : null
  const noted = sum(notes.flatMap((note) => note.refunds.map((one) => one.amount_refunded)))
  const now = (await readRefunds(tx, params, invoice)).map((one) => one.amount_refunded)
  return Math.max(0, (charge?.amount_refunded ?? 0) - noted - sum(now))
}

async function readRefunds(tx: Session, params: Params, invoice: Invoice) {
  const linked = []
  for (const { refund: id, amount_refunded: part } of params.refunds ?? []) {
    const refund = await tx.get<Refund>('refund', id ?? '', 'refunds')
    if (refund.payment_intent !== invoice._payment || (part ?? 0) > refund.amount)
      throw invalid('The refund is of another payment, or smaller.', { param: 'refunds' })
    linked.push({ refund: refund.id, amount_refunded: part ?? refund.amount })
  }
  return linked
}

async function compose(tx: Session, params: Params): Promise<{ note: CreditNote; invoice: Invoice }> {
  const invoice = await tx.get<Invoice>('invoice', params.invoice, 'invoice')
  if (invoice.status !== 'open' && invoice.status !== 'paid')
    throw invalid(`You can only create credit notes for open or paid invoices. This one is ${invoice.status}.`, {
      param: 'invoice',
    })
  const notes = await tx.find<CreditNote>('credit_note', { invoice: invoice.id })
  const known = invoice.lines.data.map((line) => leftOf(line, notes))
  if ((params.amount === undefined) === (params.lines === undefined))
    throw invalid('You must pass one of `amount` or `lines`.', { code: 'parameter_missing', param: 'amount' })
  const left = invoice.total - sum(notes.map(({ total }) => total)) - (await looseRefunds(tx, invoice, notes, params))
  const tooMuch = () =>
    invalid(`The credit note exceeds the ${money(left, invoice.currency)} that can still be credited.`, {
      param: params.lines ? 'lines' : 'amount',
    })
  if (params.amount !== undefined && (params.amount <= 0 || params.amount > left)) throw tooMuch()
  const lines = params.lines ? readLines(known, params.lines) : creditAmount(known, params.amount ?? 0)
  const subtotal = sum(lines.map(({ amount }) => amount))
  const taxes = lines.flatMap((line) => line.taxes)
  const total = subtotal + taxOf(taxes, 'exclusive')
  if (total > left) throw tooMuch()
  const net = subtotal - taxOf(taxes, 'inclusive')
  const before = invoice.status === 'open' ? Math.min(total, invoice.amount_remaining) : 0
  const id = newId('cn')
  const note: CreditNote = {
    id,
    refunds: [],
    object: 'credit_note',
    created: tx.now,
    effective_at: tx.now,
    amount: total,
    amount_shipping: 0,
    currency: invoice.currency,
    customer: invoice.customer,
    discount_amount: 0,
    invoice: invoice.id,
    lines: { object: 'list', data: lines, has_more: false, url: `/v1/credit_notes/${id}/lines` },
    number: `${invoice.number}-CN-${String(notes.length + 1).padStart(2, '0')}`,
    pdf: String(invoice.invoice_pdf),
    out_of_band_amount: params.out_of_band_amount ?? null,
    pre_payment_amount: before,
    post_payment_amount: total - before,
    status: 'issued',
    subtotal,
    subtotal_excluding_tax: net,
    total,
    total_excluding_tax: net,
    total_taxes: sumTaxes(taxes),
    type: before === total ? 'pre_payment' : before === 0 ? 'post_payment' : 'mixed',
    ...pick(params, 'memo', 'metadata', 'reason'),
  }
  return { note, invoice }
}

async function create(tx: Session, params: Params): Promise<Body> {
  const { note, invoice } = await compose(tx, params)
  const { total, pre_payment_amount: before, post_payment_amount: after } = note
  const ways = await readWays(tx, params, invoice, after)
  const refunds = ways.linked.map((one) => ({ ...one, type: 'refund' }))
  if (ways.refund_amount) {
    const refund = await createRefund(tx, { payment_intent: String(invoice._payment), amount: ways.refund_amount })
    refunds.push({ refund: refund.id, amount_refunded: ways.refund_amount, type: 'refund' })
  }
  const saved = await tx.create<CreditNote>('credit_note', 'cn', { ...note, refunds })
  if (ways.credit_amount) {
    const customer = await tx.customer(invoice.customer)
    setBalance(customer, invoice.currency, balanceIn(customer, invoice.currency) - ways.credit_amount)
    await tx.save(customer, 'customer.updated')
  }
  const counters = invoice as unknown as Record<string, number>
  counters.pre_payment_credit_notes_amount = Number(counters.pre_payment_credit_notes_amount) + before
  counters.post_payment_credit_notes_amount = Number(counters.post_payment_credit_notes_amount) + after
  if (before) {
    invoice.amount_due -= before
    invoice.amount_remaining -= before
  }
  await tx.save(invoice, 'invoice.updated')
  if (invoice.status === 'open' && total > 0 && invoice.amount_remaining === 0) await markPaid(tx, invoice, null)
  await tx.emit('credit_note.created', saved)
  return saved
}

export const creditNoteHandlers: Record<string, Handler> = {
  'POST /v1/credit_notes': create,
  'GET /v1/credit_notes/preview': async (tx, params: Params) => complete((await compose(tx, params)).note),
}
