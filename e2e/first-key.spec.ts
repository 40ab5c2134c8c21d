import { expect, type Page } from '@playwright/test'
import { chooseProAndLeave, openBilling, planCard } from './billing-person.ts'
import { test, withProduct } from './fixtures.ts'
import { signIn } from './sign-in.ts'

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

test('under KEYS_REVEAL=once the buyer sees the first key on return from checkout, once', async ({ browser }) => {
  await withProduct({ KEYS_REVEAL: 'once' }, async ({ url }) => {
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
    await signIn(stranger, url, 'stranger@example.com', '/dashboard/billing/?checkout=success')
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
})

test('under KEYS_REVEAL=once redeeming shows the first key, on Overview and on Billing', async ({ browser }) => {
  await withProduct({ KEYS_REVEAL: 'once' }, async ({ url }) => {
    const page = await (await browser.newContext({ baseURL: url })).newPage()
    await signIn(page, url, 'overview@example.com')
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
})
