import { afterAll, beforeAll, expect, test } from 'vitest'
import { textOf } from '#sandbox/stripe/pages/testing/pdf-text.ts'
import { startTestServer, type TestServer } from '#server/testing/harness.ts'
import { joinWorkspace, startSession, type TestSession } from '#server/testing/session.ts'
import { applyShop } from '../../shop/apply.ts'
import { prepareShop } from '../../shop/prepare-shop.ts'
import { refundInvoice } from '../refunds/refund-invoice.ts'
import { buyCredits, buyPlan, plansByName, settleBilling } from '../testing/billing.ts'
import { berlin, setUpTaxes } from '../testing/set-up-taxes.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ env: { TAXES: 'stripe' } })
  await setUpTaxes(server)
  const shop = {
    name: 'Northwind Weather',
    support: 'help@northwind.example',
    seller: { name: 'Northwind GmbH', address: ['Hafenstr. 1', '20095 Hamburg'], tax_id: 'DE987654321' },
  }
  const none = () => Promise.reject(new Error('no files'))
  await applyShop(server.db.kysely, await prepareShop(shop, { logo: none, page: none }, []))
  await server.deps.shop.look()
})
afterAll(() => server.close())

const invoicesOf = async (who: TestSession) => (await who.call('GET', '/billing/invoices')).body.data
const open = (link: string) => {
  const { pathname, search } = new URL(link)
  return fetch(`${server.url}${pathname}${search}`, { redirect: 'manual' })
}
const pdfOf = async (link: string) => {
  const answer = await open(link)
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/pdf'])
  return { answer, text: textOf(Buffer.from(await answer.arrayBuffer())).split('\n') }
}

test('a person downloads the receipt of a taxed plan, and again after a refund in part', async () => {
  const person = await startSession(server)
  await buyPlan(server, person, (await plansByName(person)).Pro, {
    buyer: { ...berlin, tax_id_type: 'eu_vat', tax_id: 'DE123456789' },
  })
  const [{ id, number, receipt }] = await invoicesOf(person)
  const { answer, text } = await pdfOf(receipt)
  expect(answer.headers.get('cache-control')).toBe('private, no-store')
  expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="receipt-${number}.pdf"`)
  expect(text).toEqual(
    expect.arrayContaining([
      'TEST, no payment was made',
      number,
      'Northwind GmbH',
      '20095 Hamburg',
      'Tax ID DE987654321',
      'Bär GmbH',
      '10119 Berlin',
      'Tax ID DE123456789',
      'VAT (19%)',
      '$3.61',
      '$22.61',
      'Questions: help@northwind.example',
    ]),
  )
  expect(text.join(' ')).toContain('· 100,000 credits')
  await refundInvoice(server.deps, {
    actId: crypto.randomUUID(),
    invoiceId: id,
    cents: 1_190,
    operator: 'command line',
  })
  await settleBilling(server)
  const refunded = (await pdfOf(receipt)).text
  expect(refunded.join(' ')).toMatch(new RegExp(`Credit note ${number}-CN-01, .* with \\$1.90 tax`))
  expect(refunded.slice(-4)).toEqual(['Paid after refunds', '$10.71', ...text.slice(-2)])
})

test('bought credits are on the receipt of their invoice; where a PDF lacks letters, it is a page to print', async () => {
  const person = await startSession(server)
  await buyCredits(server, person, 1, { buyer: { ...berlin, business_name: '株式会社サンプル' } })
  const [{ receipt }] = await invoicesOf(person)
  const answer = await open(receipt)
  const html = await answer.text()
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/)
  for (const part of ['株式会社サンプル', '10,000 credits', 'Northwind GmbH', '$2.38']) expect(html).toContain(part)
})

test("a link opens for its person alone: nothing of another's, altered, or of one who has left", async () => {
  const person = await startSession(server)
  const stranger = await startSession(server)
  const member = await startSession(server)
  await buyCredits(server, person, 1, { buyer: berlin })
  await buyCredits(server, stranger, 1, { buyer: berlin })
  const headers = { 'x-workspace-id': await joinWorkspace(server, person, member, 'member') }
  const [mine] = (await member.call('GET', '/billing/invoices', { headers })).body.data
  const [theirs] = await invoicesOf(stranger)
  await pdfOf(mine.receipt)
  const altered = [
    mine.receipt.replace(mine.id, theirs.id),
    mine.receipt.replace(mine.id, 'in_nobody'),
    mine.receipt.replace(/signature=[^&]+/, 'signature=AAAA'),
    mine.receipt.replace(/person=[^&]+/, `person=${person.userId}`),
  ]
  for (const link of altered)
    expect([link, link === mine.receipt, (await open(link)).status]).toEqual([link, false, 404])
  await server.db.pool.query('delete from account_members where user_id = $1', [member.userId])
  expect((await open(mine.receipt)).status).toBe(404)
})

test('an invoice that is not paid has none', async () => {
  const person = await startSession(server)
  await buyCredits(server, person, 1, { buyer: berlin })
  const { invoices, invoiceItems } = server.deps.stripe!.client
  const { rows } = await server.db.pool.query('select id from billing_customers order by created_at desc limit 1')
  const draft = { customer: rows[0].id as string, currency: 'usd' }
  const { id } = await invoices.create({ ...draft, auto_advance: false })
  await invoiceItems.create({ ...draft, invoice: id!, amount: 500 })
  await invoices.finalizeInvoice(id!)
  await settleBilling(server)
  const [paid] = (await invoicesOf(person)).filter(({ status }: { status: string }) => status === 'paid')
  const unpaid = (await invoicesOf(person)).find(({ status }: { status: string }) => status === 'open')
  expect([unpaid.receipt, paid.receipt]).toEqual([null, expect.stringContaining('/receipt?')])
  const forced = await open(unpaid.invoice_pdf.replace('/pdf?', '/receipt?'))
  expect([forced.status, ((await forced.json()) as { error: string }).error]).toEqual([
    404,
    'This invoice is not paid: it has no receipt.',
  ])
})
