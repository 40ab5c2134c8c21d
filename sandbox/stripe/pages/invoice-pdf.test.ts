import { expect, it } from 'vitest'
import type { Invoice } from '../objects/bodies.ts'
import { invoicePdf } from './invoice-page.ts'
import { drawingOf, textOf, words } from './testing/pdf-text.ts'

/** Each piece of text with its distance from the bottom of its page. */
const placesOf = (pdf: Buffer): { text: string; height: number }[] =>
  [...drawingOf(pdf).matchAll(/1 0 0 1 [\d.]+ ([\d.]+) Tm[\s\S]*?\[(.*?)\] TJ/g)].map((part) => ({
    text: words(part[2] as string),
    height: Number(part[1]),
  }))

const issued = Date.parse('2026-11-01T00:00:00Z') / 1000
const invoice = {
  number: 'SBXAB12C-0007',
  status: 'paid',
  created: issued,
  account_name: 'Sandbox seller',
  customer_name: 'Zoë Łukasz',
  currency: 'usd',
  total: 1900,
  amount_paid: 1900,
  amount_remaining: 0,
  status_transitions: { finalized_at: issued },
  lines: {
    data: [
      {
        description: '1 × Pro (at $19.00 / month)',
        amount: 1900,
        period: { start: issued, end: issued + 30 * 86_400 },
      },
    ],
  },
} as unknown as Invoice

it('shows what was bought, by whom, when and for how much, and that it is not real', async () => {
  const text = textOf(await invoicePdf(invoice))
  for (const part of [
    'SANDBOX, no payment was made',
    'SBXAB12C-0007',
    'Nov 1, 2026',
    'Sandbox seller',
    'Zoë ?ukasz',
    'paid',
    '1 × Pro (at $19.00 / month)',
    '$19.00',
    'Amount due',
  ]) {
    expect(text).toContain(part)
  }
  expect(text).not.toContain('Ł')
})

it('runs over several pages with many lines', async () => {
  const [line] = invoice.lines.data
  const long = {
    ...invoice,
    lines: { ...invoice.lines, data: Array.from({ length: 120 }, () => ({ ...line })) },
  } as Invoice
  const pdf = await invoicePdf(long)
  expect(pdf.toString('latin1').match(/\/Type \/Page\b/g)?.length).toBeGreaterThan(2)
  expect(textOf(pdf).split('1 × Pro').length).toBe(121)
})

it('makes room for a buyer with a long name', async () => {
  const named = { ...invoice, customer_name: 'A company with a name that goes on and on, over three lines, and Sons' }
  const places = placesOf(await invoicePdf(named as Invoice))
  const [, ...rest] = places.filter(({ text }) => /company|goes on|and Sons/.test(text))
  const status = places.find(({ text }) => text === 'Status')
  expect(rest.length).toBeGreaterThan(0)
  expect(Math.min(...rest.map(({ height }) => height))).toBeGreaterThan((status?.height ?? Number.NaN) + 10)
})
