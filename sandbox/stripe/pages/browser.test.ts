import { AxeBuilder } from '@axe-core/playwright'
import type { Browser, Page } from '@playwright/test'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freePort } from '#server/db/embedded.ts'
import { launch } from '../../../e2e/browser.ts'
import { customerWith } from '../testing/harness.ts'
import { bench, plans, shareBench } from '../testing/shared-bench.ts'
import { sellFrom } from '../testing/taxed.ts'

let browser: Browser
const port = await freePort()
const base = `http://localhost:${port}`

shareBench('2026-11-01T00:00:00Z', base)
beforeAll(async () => {
  bench.app.get('/shop', async (_request, reply) => reply.type('text/html').send('<!doctype html><title>Shop</title>'))
  await bench.app.listen({ port, host: 'localhost' })
  browser = await launch()
})
afterAll(() => browser.close())

/** No accessibility violation, no horizontal scrolling; saves a picture to the folder SANDBOX_SCREENSHOTS, if set. */
async function inspect(page: Page, name: string): Promise<void> {
  expect((await new AxeBuilder({ page }).analyze()).violations.map((one) => one.id)).toEqual([])
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true)
  const folder = process.env.SANDBOX_SCREENSHOTS
  if (folder) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true })
}

it.each([
  ['light', 1280],
  ['dark', 360],
] as const)('shows a business its taxes, %s at %d px', async (colorScheme, width) => {
  const { stripe } = bench
  await sellFrom(stripe, 'DE')
  const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } })
  const page = await context.newPage()
  const customer = await customerWith(stripe, null)
  const price = await stripe.prices.create({
    product: plans.pro.product as string,
    currency: 'eur',
    unit_amount: 1900,
    tax_behavior: 'exclusive',
    recurring: { interval: 'month' },
  })
  const session = await stripe.checkout.sessions.create({
    mode: 'subscription',
    customer: customer.id,
    customer_update: { address: 'auto', name: 'auto' },
    line_items: [{ price: price.id, quantity: 1 }],
    automatic_tax: { enabled: true },
    tax_id_collection: { enabled: true },
    success_url: `${base}/shop`,
  })
  await page.goto(session.url as string)
  await inspect(page, `tax-asked-${colorScheme}`)
  await page.getByLabel('Country').selectOption('Germany')
  await page.getByLabel('Business name').fill('Ada GmbH')
  await page.getByLabel('Tax ID', { exact: true }).fill('DE123456789')
  await page.getByRole('button', { name: 'Update total' }).click()
  await page.getByText('VAT Germany (19%)').waitFor()
  await inspect(page, `tax-known-${colorScheme}`)
  await page.getByRole('button', { name: 'Subscribe' }).click()
  await page.waitForURL(`${base}/shop`)
  const [invoice] = (await stripe.invoices.list({ customer: customer.id })).data
  expect(invoice?.total).toBe(2261)
  await page.goto(invoice?.hosted_invoice_url as string)
  await inspect(page, `tax-invoice-${colorScheme}`)
  const configuration = await stripe.billingPortal.configurations.create({
    features: { customer_update: { enabled: true, allowed_updates: ['name', 'address', 'tax_id'] } },
  })
  const portal = { customer: customer.id, configuration: configuration.id, return_url: `${base}/shop` }
  await page.goto((await stripe.billingPortal.sessions.create(portal)).url)
  await page.getByText('DE123456789').waitFor()
  await inspect(page, `tax-portal-${colorScheme}`)
  await context.close()
})

it.each([
  ['light', 1280],
  ['dark', 360],
] as const)('carries a buyer through checkout and portal, %s at %d px', async (colorScheme, width) => {
  const { stripe } = bench
  const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } })
  const page = await context.newPage()
  const problems: string[] = []
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
  const customer = await customerWith(stripe, null)
  const line_items = [{ price: plans.pro.id, quantity: 1 }]
  const session = await stripe.checkout.sessions.create({
    mode: 'subscription',
    customer: customer.id,
    line_items,
    success_url: `${base}/shop?done={CHECKOUT_SESSION_ID}`,
    cancel_url: `${base}/shop`,
  })
  await page.goto(session.url as string)
  await inspect(page, `checkout-${colorScheme}`)
  await page.getByRole('button', { name: 'Card is declined' }).click()
  expect(await page.getByRole('alert').textContent()).toBe('Your card was declined.')
  await inspect(page, `declined-${colorScheme}`)
  await page.getByRole('button', { name: 'Authentication needed' }).click()
  const complete = page.getByRole('button', { name: 'Complete authentication' })
  await complete.waitFor()
  await inspect(page, `authentication-${colorScheme}`)
  await complete.click()
  await page.waitForURL(`${base}/shop?done=${session.id}`)
  const portal = await stripe.billingPortal.sessions.create({ customer: customer.id, return_url: `${base}/shop` })
  await page.goto(portal.url)
  await inspect(page, `portal-${colorScheme}`)
  await page.getByRole('button', { name: 'Cancel subscription' }).click()
  await page.getByText('Ends on Dec 1, 2026.').waitFor()
  await page.getByRole('button', { name: 'Keep subscription' }).click()
  await page.getByText('Renews on Dec 1, 2026.').waitFor()
  const [invoice] = (await stripe.invoices.list({ customer: customer.id })).data
  await page.goto(invoice?.hosted_invoice_url as string)
  await inspect(page, `invoice-${colorScheme}`)
  const file = await page.getByRole('link', { name: 'Download PDF' }).getAttribute('href')
  const pdf = await page.request.get(`${base}${file}`)
  expect([pdf.headers()['content-type'], (await pdf.body()).subarray(0, 5).toString()]).toEqual([
    'application/pdf',
    '%PDF-',
  ])
  await page.getByText('paid', { exact: true }).waitFor()
  expect(problems.filter((text) => !text.includes('favicon') && !text.includes('404'))).toEqual([])
  await context.close()
})
