import { formatMoney } from '#contract/currency.ts'
import { HIDDEN } from '../../../hidden-characters.ts'
import type { Shop } from '../../shop/shop.ts'
import type { Returned } from '../stripe/credit-notes.ts'
import type { InvoiceFacts, LineFacts, TaxLine } from '../stripe/fetch-invoice.ts'
import type { Address } from '../stripe/tax-customer.ts'
import { presentTax } from '../taxes/present-tax.ts'
import { isWestern, type Receipt } from './receipt.ts'

interface Bought {
  credits: number
  /** A paid year is granted month by month. */
  monthly: boolean
}

export interface Payment {
  invoice: InvoiceFacts & { paidAt: Date }
  returned: Returned[]
  /** What its lines granted, by the line's id. */
  bought: ReadonlyMap<string, Bought>
  shop: Pick<Shop, 'name' | 'support' | 'seller' | 'timeZone'>
}

const reasons = {
  reverse_charge: 'Reverse charge: the customer accounts for the tax.',
  not_collecting: 'No tax is collected in this country.',
  exempt: 'Exempt from tax.',
  no_location: 'No tax was computed: the billing address was missing.',
}

/** The receipt of a payment. Its lines and taxes add up to the total of the provider's invoice, to the cent. */
export function buildReceipt({ invoice, returned, bought, shop }: Payment): Receipt {
  const { currency, lines, taxes, taxCents, totalCents, paidCents, creditedCents } = invoice
  const words = wordsOf(currency)
  const money = (cents: number) => words(formatMoney(cents, currency, true))
  const day = dayIn(shop.timeZone)
  const number = invoice.number ?? invoice.id
  const netCents = totalCents - taxCents
  const adjusted = netCents - lines.reduce((sum, { cents }) => sum + cents, 0)
  const fromBalance = totalCents - creditedCents - paidCents
  const back = returned.reduce((sum, { cents }) => sum + cents, 0)
  const total = (text: string, cents: number, strong = false) => ({ text: clean(text), amount: money(cents), strong })
  return {
    test: !invoice.live,
    number,
    paidAt: invoice.paidAt,
    facts: [
      { label: 'Invoice', value: number },
      { label: 'Invoice date', value: day(invoice.createdAt) },
      { label: 'Paid on', value: day(invoice.paidAt) },
    ],
    seller: {
      name: shop.seller?.name ?? clean(invoice.sellerName || shop.name),
      lines: [...(shop.seller?.address ?? []), ...taxIdLines(shop.seller?.taxId ? [shop.seller.taxId] : [])],
    },
    buyer: buyerOf(invoice.buyer),
    lines: lines.map((line) => ({
      text: words(clean(line.description)) || 'Purchase',
      about: [periodOf(line, day), creditsOf(bought.get(line.id))].filter(Boolean).join(' · '),
      amount: money(line.cents),
    })),
    totals: [
      ...(adjusted === 0 ? [] : [total('Discounts and adjustments', adjusted)]),
      ...(taxes === null ? [] : [total('Total without tax', netCents), ...taxTotals(taxes, total)]),
      total('Total', totalCents, true),
      ...(creditedCents === 0 ? [] : [total('Credited before payment', -creditedCents)]),
      ...(fromBalance === 0 ? [] : [total('Paid from the balance', fromBalance)]),
      total('Paid', paidCents, true),
      ...returned.map(({ at, cents, taxCents: tax, note }) =>
        total(
          `${note === null ? 'Refund' : `Credit note ${note}`}, ${day(at)}${tax ? `, with ${money(tax)} tax` : ''}`,
          -cents,
        ),
      ),
      ...(back === 0 ? [] : [total('Paid after refunds', paidCents - back, true)]),
    ],
    notes: [
      ...sayUntaxed(taxes ?? []),
      `This is a receipt. The invoice is ${number}, which you can download under Billing, Invoices.`,
      `Questions: ${shop.support}`,
    ],
  }
}

/** What the provider has may come from a form of its own: one line, and nothing that hides or reorders text. */
const clean = (text: string): string => text.normalize('NFC').replaceAll(HIDDEN, '').replaceAll(/\s+/g, ' ').trim()

/** Amounts with the code of their currency, where a PDF cannot show its sign. */
function wordsOf(currency: string): (text: string) => string {
  const sign = formatMoney(0, currency).replaceAll(/[\d.,\s]/g, '')
  return isWestern(sign) ? (text) => text : (text) => text.replaceAll(sign, `${currency.toUpperCase()}\u00a0`)
}

function dayIn(timeZone: string | null): (at: Date) => string {
  const format = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: timeZone ?? 'UTC' })
  return (at) => format.format(at)
}

const taxIdLines = (ids: readonly string[]): string[] => ids.map((id) => `Tax ID ${clean(id)}`)

function buyerOf({ name, email, address, taxIds }: InvoiceFacts['buyer']): Receipt['buyer'] {
  const known = clean(name || email || '')
  return {
    name: known || 'Customer',
    lines: [...(address ? linesOf(address) : []), ...(name && email ? [clean(email)] : []), ...taxIdLines(taxIds)],
  }
}

const countries = new Intl.DisplayNames('en', { type: 'region', fallback: 'code' })

function linesOf({ line1, line2, postalCode, city, state, country }: Address): string[] {
  const place = [postalCode, city].filter(Boolean).join(' ')
  const named = /^[A-Z]{2}$/.test(country) ? (countries.of(country) ?? country) : country
  return [line1, line2, place, state, named].map((line) => clean(line ?? '')).filter(Boolean)
}

const periodOf = ({ start, end }: LineFacts, day: (at: Date) => string): string =>
  end > start ? `${day(start)} – ${day(end)}` : ''

const creditsOf = (bought: Bought | undefined): string =>
  bought ? `${bought.credits.toLocaleString('en-US')} credits${bought.monthly ? ' each month' : ''}` : ''

type Total = (text: string, cents: number) => Receipt['totals'][number]

const taxTotals = (taxes: TaxLine[], total: Total) =>
  presentTax(taxes).lines.map(({ label, percent, amount }) =>
    total(percent === null ? label : `${label} (${percent}%)`, amount),
  )

/** Why a tax is missing. Reverse charge must be said, even if other lines are taxed. */
function sayUntaxed(taxes: TaxLine[]): string[] {
  const { untaxed } = presentTax(taxes)
  if (untaxed) return [reasons[untaxed]]
  return taxes.some(({ reason }) => reason === 'reverse_charge') ? [reasons.reverse_charge] : []
}
