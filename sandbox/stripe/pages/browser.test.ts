import { AxeBuilder } from '@axe-core/playwright'
import type { Browser, Page } from '@playwright/test'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freePort } from '#server/db/embedded.ts'
import { launch } from '../../../e2e/browser.ts'
import { customerWith } from '../testing/harness.ts'
import { bench, plans, shareBench } from '../testing/shared-bench.ts'

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
  await inspect(page, `authentication-${colorScheme}`)
  await page.getByRole('button', { name: 'Complete authentication' }).click()
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
