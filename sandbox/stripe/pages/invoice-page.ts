import { StripeError } from '../api/errors.ts'
import { day, money } from '../billing/money.ts'
import { collect } from '../billing/pay-invoice.ts'
import type { Fields, Invoice } from '../objects/bodies.ts'
import { paymentMethod } from '../objects/cards.ts'
import type { Session } from '../objects/session.ts'
import { buyerLines, taxRows } from './buyer-form.ts'
import type { Shown } from './checkout-page.ts'
import { cardChoice, form, html, notice } from './layout.ts'

/** The page where a customer pays after an automatic payment failed. */
export function showInvoice(invoice: Invoice, token: string, problem: string | null): Shown {
  const rows = invoice.lines.data.map(
    (line) => html`<tr><td>${line.description}</td><td class="num">${money(line.amount, invoice.currency)}</td></tr>`,
  )
  const taxes = taxRows(invoice.total_taxes, invoice.currency).map(
    ([text, amount]) => html`<tr><td class="soft">${text}</td><td class="num">${amount}</td></tr>`,
  )
  const controls = html`${cardChoice(['pm_card_visa', 'pm_card_chargeCustomerFail'])}<button class="primary" name="outcome" value="pay">Pay</button><button name="outcome" value="authenticate">Pay with the saved card and authenticate</button>`
  const address = `/sandbox/checkout/invoices/${invoice._secret}`
  const pay =
    invoice.status === 'open'
      ? html`<section><h2>Pay this invoice</h2>${form(address, token, controls, 'Payment')}</section>`
      : null
  const body = html`<section><h1>Invoice ${invoice.number}</h1><p class="soft">From ${invoice.account_name}<br>To ${invoice.customer_name ?? invoice.customer_email ?? invoice.customer}<br>${day(issuedOf(invoice))}</p><p class="total">${money(invoice.status === 'open' ? invoice.amount_remaining : invoice.total, invoice.currency)}</p><p><span class="badge">${invoice.status}</span></p>
<table><tbody>${rows}${taxes}</tbody></table><p><a href="${address}/pdf">Download PDF</a></p></section>${notice(problem)}${pay}`
  return { title: `Invoice ${invoice.number}`, body }
}

/** Pays with the chosen card, or with the saved one after authentication. */
export async function actOnInvoice(tx: Session, invoice: Invoice, token: string, given: Fields): Promise<Shown> {
  if (invoice.status !== 'open') return showInvoice(invoice, token, null)
  try {
    const card = String(given.card) === 'pm_card_chargeCustomerFail' ? 'pm_card_chargeCustomerFail' : 'pm_card_visa'
    const authenticated = given.outcome === 'authenticate'
    const intent = await collect(tx, invoice, {
      method: authenticated ? null : await paymentMethod(tx, card),
      authenticated,
    })
    const problem =
      intent?.last_payment_error?.message ?? (intent ? null : 'No card is saved. Choose one and press Pay.')
    return showInvoice(await tx.get<Invoice>('invoice', invoice.id), token, problem as string | null)
  } catch (error) {
    if (!(error instanceof StripeError)) throw error
    return showInvoice(await tx.get<Invoice>('invoice', invoice.id), token, error.message)
  }
}

const issuedOf = (invoice: Invoice) => invoice.status_transitions.finalized_at ?? Number(invoice.created)

/** The built-in font has only Western letters; others become '?'. */
const western = (text: string) => text.replaceAll(/[^\x20-\x7e\xa0-\xff]/g, '?')

/** The invoice as a PDF, marked SANDBOX; the same invoice gives the same bytes. */
export async function invoicePdf(invoice: Invoice): Promise<Buffer> {
  const issued = issuedOf(invoice)
  const info = { Title: `Invoice ${invoice.number}`, Author: 'Payment sandbox', CreationDate: new Date(issued * 1000) }
  const { default: PDFDocument } = await import('pdfkit')
  const document = new PDFDocument({ size: 'A4', margin: 56, info })
  const parts: Buffer[] = []
  document.on('data', (part: Buffer) => parts.push(part))
  const done = new Promise((resolve) => document.on('end', resolve))
  const row = (left: string, right: string, bold = false) => {
    const top = document.y
    document.font(bold ? 'Helvetica-Bold' : 'Helvetica').text(western(right), 400, top, { width: 139, align: 'right' })
    const below = document.y
    document.text(western(left), 56, top, { width: 330 })
    document.y = Math.max(document.y, below)
    document.moveDown(0.4)
  }
  document.font('Helvetica-Bold').fontSize(22).text('Invoice').fontSize(11).fillColor('#a3161f')
  document.text('SANDBOX, no payment was made').fillColor('#000').moveDown().fontSize(10)
  row('Number', invoice.number ?? 'draft')
  row('Date', day(issued))
  row('Seller', String(invoice.account_name))
  row('Billed to', String(invoice.customer_name ?? invoice.customer_email ?? invoice.customer))
  const [buyerAddress = '', buyerIds = ''] = buyerLines(invoice)
  if (buyerAddress) row('Address', buyerAddress)
  if (buyerIds) row('Tax ID of the buyer', buyerIds)
  row('Status', invoice.status)
  document.moveDown()
  row('Description', 'Amount', true)
  for (const line of invoice.lines.data) {
    if (document.y > 740) document.addPage()
    const { start, end } = line.period
    row(
      `${line.description ?? ''}${end > start ? ` (${day(start)} to ${day(end)})` : ''}`,
      money(line.amount, invoice.currency),
    )
  }
  document.moveDown()
  for (const [text, amount] of taxRows(invoice.total_taxes, invoice.currency)) row(text, amount)
  row('Total', money(invoice.total, invoice.currency), true)
  row('Paid', money(invoice.amount_paid, invoice.currency))
  row('Amount due', money(invoice.amount_remaining, invoice.currency), true)
  document.end()
  await done
  return Buffer.concat(parts)
}
