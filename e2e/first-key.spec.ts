import { randomUUID } from 'node:crypto'
import { expect, type Page } from '@playwright/test'
import { chooseProAndLeave, openBilling, planCard } from './billing-person.ts'
import { startProduct, test } from './fixtures.ts'
import { signIn } from './sign-in.ts'

const address = () => `first-key-${randomUUID().slice(0, 8)}@example.com`
const trialStarted = 'Your trial has started. Nothing has been charged.'

async function startTrial(page: Page): Promise<void> {
  await chooseProAndLeave(page)
  await page.getByRole('button', { name: 'Start trial' }).click()
  await expect(page.getByText(trialStarted)).toBeVisible()
}

test('a first plan that is paid creates the key Default', async ({ page, baseURL }) => {
  await openBilling(page, baseURL)
  await startTrial(page)
  await page.goto('/dashboard/api-keys')
  await expect(page.getByRole('row')).toHaveCount(2)
  const row = page.getByRole('row', { name: /Default/ })
  await row.getByRole('button', { name: 'Show the key Default' }).click()
  await expect(row).toContainText(/fm_\w{38}/)
})

test.describe('with KEYS_REVEAL=once, and without the demo key', () => {
  let once: Awaited<ReturnType<typeof startProduct>>
  let url: string
  test.beforeAll(async () => {
    once = await startProduct({ KEYS_REVEAL: 'once', DEMO_KEY: 'off' })
    url = once.url
  })
  test.afterAll(() => once?.stop())

  test('under KEYS_REVEAL=once the buyer sees the first key on return from checkout, once', async ({ browser }) => {
    const page = await (await browser.newContext({ baseURL: url })).newPage()
    page.on('dialog', (dialog) => dialog.accept())
    const visited: string[] = []
    page.on('framenavigated', (frame) => visited.push(frame.url()))
    await openBilling(page, url)
    await startTrial(page)
    const notice = page.getByRole('region', { name: 'New API key' })
    await expect(notice).toContainText('Default')
    const key = /fm_\w{38}/.exec((await notice.textContent()) ?? '')?.[0] ?? ''
    const answer = await page.request.get(`${url}/v1/symbols`, { headers: { 'x-api-key': key } })
    expect(answer.status()).toBe(200)
    expect(visited.join(' ')).not.toContain('fm_')

    // Whoever opens the return address later, or is someone else, sees no key.
    await page.goto('/dashboard/billing/?checkout=success')
    await expect(page.getByText(trialStarted)).toBeVisible()
    await expect(notice).toBeHidden()
    const stranger = await (await browser.newContext({ baseURL: url })).newPage()
    await signIn(stranger, url, address(), '/dashboard/billing/?checkout=success')
    await expect(
      stranger.getByText('Payment complete. Waiting for the payment provider to confirm it...'),
    ).toBeVisible()
    await expect(stranger.getByText(/fm_\w/)).toHaveCount(0)
    await page.goto('/dashboard/api-keys')
    await expect(page.getByRole('row')).toHaveCount(2)
    await expect(page.getByText(/fm_\w{38}/)).toHaveCount(0)
    await stranger.context().close()
    await page.context().close()
  })

  test('under KEYS_REVEAL=once redeeming shows the first key, on Overview and on Billing', async ({ browser }) => {
    const page = await (await browser.newContext({ baseURL: url })).newPage()
    await signIn(page, url, address())
    await page.getByRole('button', { name: 'Redeem free plan' }).click()
    await expect(page.getByRole('region', { name: 'New API key' })).toContainText(/fm_\w{38}/)
    const other = await (await browser.newContext({ baseURL: url })).newPage()
    await openBilling(other, url)
    await planCard(other, 'Free')
      .getByRole('button', { name: /^Redeem free plan/ })
      .click()
    await expect(other.getByRole('region', { name: 'New API key' })).toContainText(/fm_\w{38}/)
    await page.context().close()
    await other.context().close()
  })

  test('under KEYS_REVEAL=once the new key runs the call; later it is pasted, and not kept', async ({ browser }) => {
    const page = await (await browser.newContext({ baseURL: url })).newPage()
    page.on('dialog', (dialog) => dialog.accept())
    await signIn(page, url, address())
    await page.getByRole('button', { name: 'Redeem free plan' }).click()
    const notice = page.getByRole('region', { name: 'New API key' })
    await expect(notice).toContainText(/fm_\w{38}/)
    const value = /fm_\w{38}/.exec((await notice.textContent()) ?? '')?.[0] ?? ''
    const start = page.getByRole('region', { name: 'Get started' })
    await start.getByRole('button', { name: 'Run', exact: true }).click()
    await expect(start.getByText('200 OK')).toBeVisible()

    await page.reload()
    const card = page.getByRole('region', { name: 'Make a call' })
    await expect(card.getByRole('button', { name: 'Run', exact: true })).toBeDisabled()
    await expect(card.getByText('This installation shows a key only once.')).toBeVisible()
    await card.getByLabel('API key to run it with').fill(value)
    await card.getByRole('button', { name: 'Run', exact: true }).click()
    await expect(card.getByText('200 OK')).toBeVisible()
    await expect(card.getByText('998 credits left')).toBeVisible()
    expect(await page.evaluate(() => JSON.stringify([location.href, localStorage, sessionStorage]))).not.toContain(
      'fm_',
    )
    await page.context().close()
  })

  test('without the demo key, a sentence says how to get a key', async ({ browser }) => {
    const page = await (await browser.newContext({ baseURL: url })).newPage()
    await page.goto('/docs/reference/get_bars')
    const beside = page.getByRole('region', { name: 'Request and response' })
    const run = beside.getByRole('button', { name: 'Run' })
    await expect(beside).toContainText('Log in and choose a plan to get a key.')
    await expect(run).toBeDisabled()
    await signIn(page, url, address(), '/docs/reference/get_bars')
    await expect(beside).toContainText('No key in your account can be used on this page.')
    await expect(run).toBeDisabled()
  })
})
