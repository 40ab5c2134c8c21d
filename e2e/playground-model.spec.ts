import { expect } from '@playwright/test'
import { startSandboxModel } from '#sandbox/model/start-model.ts'
import { expectAccessible } from './axe.ts'
import { test, withProduct } from './fixtures.ts'
import { signInWithPlan } from './sign-in.ts'

test('a question goes to the model; its calls run after approval, with the price before and after', async ({
  page,
}) => {
  test.slow()
  const model = await startSandboxModel({ key: 'k', model: 'desk-1' })
  const settings = { CHAT_MODEL_URL: model.url, CHAT_MODEL: 'desk-1', CHAT_MODEL_KEY: 'k' }
  await withProduct(settings, async ({ url: baseURL }) => {
    await signInWithPlan(page, baseURL, 'model@example.com', '/dashboard/playground/')
    const log = page.getByRole('log')
    const field = page.getByRole('textbox', { name: 'Message' })
    await expect(page.getByText('Other questions go to desk-1', { exact: false })).toBeVisible()

    await field.fill('Is AAPL above MSFT?')
    await field.press('Enter')
    const consent = page.getByRole('region', { name: 'Calls that need your approval' })
    await expect(consent).toContainText('get_quote')
    await expect(consent).toContainText('{"symbols":["AAPL","MSFT"]}')
    await expect(log.getByText('I would like to call get_quote. That costs 1 credit.')).toBeVisible()
    await expectAccessible(page, 'consent')
    await consent.getByRole('button', { name: 'Decline' }).click()
    await expect(log.getByText('No tools were called.', { exact: true })).toBeVisible()
    // Said before the first question: later the answers need the room.
    await expect(page.getByText('Other questions go to desk-1', { exact: false })).toBeHidden()
    await expect(log.getByText(/^0 calls · 0 credits charged · /)).toBeVisible()

    await field.fill('And AAPL alone?')
    await field.press('Enter')
    await consent.getByRole('button', { name: 'Call for 1 credit' }).click()
    await expect(log.getByText('get_quote returned a result', { exact: true })).toBeVisible()
    await expect(log.getByText(/^The tools say: .*AAPL/)).toBeVisible()
    await expect(log.getByText(/^1 call · 1 credit charged · [\d,]+ model tokens$/)).toBeVisible()
    await expect(consent).toBeHidden()
    await expect(field).toBeEnabled()
    // Commands come first, with or without a model.
    await field.fill('add 2 + 3')
    await field.press('Enter')
    await expect(log.getByText('add returned a result', { exact: true })).toBeVisible()
    expect(model.requests).toHaveLength(4)
  }).finally(() => model.close())
})
