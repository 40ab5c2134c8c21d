import { expect, type Page } from '@playwright/test'
import { expectAccessible } from './axe.ts'
import { test } from './fixtures.ts'

const enter = async (page: Page) => {
  await page.goto('/login?next=/operator')
  await page.getByRole('button', { name: 'Continue with Google' }).click()
  await page.getByLabel('Email address').fill('operator@example.com')
  await page.getByRole('button', { name: 'Allow' }).click()
  await expect(page).toHaveURL(/:\d+\/operator/)
  // The console has loaded: the keys of its pages are heard.
  await expect(page.getByRole('button', { name: 'Search' })).toBeVisible()
}

/** A customer with a free plan, a key and a call; the key and the call's receipt. */
async function becomeCustomer(page: Page): Promise<{ key: string; receipt: string }> {
  await page.goto('/login')
  await page.getByRole('button', { name: 'Continue with Google' }).click()
  await page.getByLabel('Email address').fill('dana@example.com')
  await page.getByRole('button', { name: 'Allow' }).click()
  await expect(page).toHaveURL(/\/dashboard/)
  const made = await page.evaluate(async () => {
    const { access_token } = JSON.parse(localStorage.getItem('supabase.auth.token')!)
    const headers = { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' }
    await fetch('/api/billing/subscribe-free-plan', { method: 'POST', headers, body: '{}' })
    const listed = await (await fetch('/api/keys', { headers })).json()
    const key: string = listed.data.apiKeys[0].apiKey
    const answer = await fetch('/v1/bars/AAPL', { headers: { 'x-api-key': key } })
    return { key, receipt: answer.headers.get('x-receipt-id')! }
  })
  await page.context().clearCookies()
  await page.evaluate(() => localStorage.clear())
  return made
}

test('the operator finds a customer by a pasted key, which is never sent, and reads each part and a receipt', async ({
  page,
}) => {
  const { key, receipt } = await becomeCustomer(page)
  expect([key, receipt]).toEqual([expect.stringMatching(/^fm_\w{38}$/), expect.stringMatching(/^rcpt_/)])
  await enter(page)

  const sent: string[] = []
  page.on('request', (request) => sent.push(`${request.url()} ${request.postData() ?? ''}`))
  await page.keyboard.press('Control+k')
  const search = page.getByRole('combobox', { name: 'Search' })
  await search.fill(`Authorization: Bearer ${key}`)
  await expect(search).toHaveValue(key.slice(0, 8))
  const option = page.getByRole('option', { name: /dana@example\.com/ })
  await expect(option).toContainText(`${key.slice(0, 8)}...`)
  await expect(page.getByText('Searched as: start of an API key')).toBeVisible()
  await expectAccessible(page, 'search')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'dana@example.com', level: 1 })).toBeVisible()
  expect(sent.filter((request) => request.includes('/operator/api/search'))).toHaveLength(1)
  expect(sent.filter((request) => request.includes(key.slice(0, 9)))).toEqual([])
  const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state]))
  expect(kept).not.toContain(key.slice(0, 9))

  await expect(page.getByRole('table').first()).toContainText('free plan')
  await expect(page.getByText('Calls in the last 30 days')).toBeVisible()
  await expectAccessible(page, 'customer')
  const tabs = page.getByRole('navigation', { name: 'Customer' })
  const seen: Record<string, RegExp> = {
    Ledger: /1,000 credits from the free plan/,
    Keys: new RegExp(`${key.slice(0, 8)}\\.\\.\\.`),
    Calls: /get_bars/,
    Invoices: /No invoices/,
    People: /dana@example\.com/,
    Limits: /120, from the plan/,
    Webhooks: /No webhook/,
    Timeline: /Free plan/,
  }
  for (const [tab, text] of Object.entries(seen)) {
    await tabs.getByRole('link', { name: tab }).click()
    await expect(page).toHaveURL(new RegExp(`/customers/[0-9a-f-]{36}/${tab.toLowerCase()}$`))
    await expect(page.getByText(text).first()).toBeVisible()
    await expectAccessible(page, `customer-${tab.toLowerCase()}`)
  }
  await tabs.getByRole('link', { name: 'Calls' }).click()
  await page.getByRole('link', { name: receipt }).click()
  await expect(page.getByText('per call').or(page.getByText('rounded up')).first()).toBeVisible()
  await expect(page.getByText(/Not yet: burned credits|for this call alone/)).toBeVisible()
  await expectAccessible(page, 'receipt')
})

test('the list keeps its filters in the address; pages are found by their name; a phone has all of it', async ({
  page,
}) => {
  await becomeCustomer(page)
  await enter(page)
  await page.getByRole('link', { name: 'Customers' }).click()
  await expect(page.getByRole('row', { name: /dana@example\.com/ })).toContainText('Active')
  await page.getByLabel('Plan', { exact: true }).selectOption('Free')
  await page.getByLabel('State', { exact: true }).selectOption('Active')
  await expect(page).toHaveURL(/customers\?plan=Free&state=active$/)
  // Other files make customers of the same product.
  await expect(
    page.getByText(/^[1-9][\d,]* customers? match(es)? · [\d,]+ credits outstanding · .*\d paid in 30 days$/),
  ).toBeVisible()
  await expectAccessible(page, 'customers')
  await page.reload()
  await expect(page.getByRole('row', { name: /dana@example\.com/ })).toBeVisible()
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'CSV' }).click()])
  expect(file.suggestedFilename()).toBe('customers.csv')
  await page.getByLabel('State', { exact: true }).selectOption('Suspended')
  await expect(page.getByText('No matching customers')).toBeVisible()
  await page.getByRole('button', { name: 'Remove the filter State: Suspended' }).click()
  await expect(page.getByRole('row', { name: /dana@example\.com/ })).toBeVisible()

  // Single keys go to pages and show themselves; they can be switched off.
  await page.keyboard.press('g')
  await page.keyboard.press('p')
  await expect(page.getByRole('heading', { name: 'Products', level: 1 })).toBeVisible()
  await page.keyboard.press('?')
  const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await expect(keys).toContainText('Go to Customers')
  await expectAccessible(page, 'shortcuts')
  await keys.getByLabel('Use single-key shortcuts').uncheck()
  await keys.getByRole('button', { name: 'Close' }).click()
  await page.keyboard.press('/')
  await expect(page.getByRole('combobox', { name: 'Search' })).toHaveCount(0)
  await page.getByRole('button', { name: 'Keyboard shortcuts' }).click()
  await keys.getByLabel('Use single-key shortcuts').check()
  await keys.getByRole('button', { name: 'Close' }).click()
  await page.keyboard.press('/')
  await page.getByRole('combobox', { name: 'Search' }).fill('eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln')
  await expect(page.getByText('This looks like a secret. It was not sent.')).toBeVisible()
  await page.getByRole('combobox', { name: 'Search' }).fill('audit')
  await page.getByRole('option', { name: 'Audit log' }).click()
  await expect(page).toHaveURL(/\/operator\/audit$/)

  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto('/operator/customers')
  await expect(page.getByRole('link', { name: 'dana@example.com' })).toBeVisible()
  await expectAccessible(page, 'customers-360')
  await page.getByRole('link', { name: 'dana@example.com' }).click()
  await expect(page.getByText('Calls in the last 30 days')).toBeVisible()
  await expectAccessible(page, 'customer-360')
  await page.getByRole('link', { name: 'Calls', exact: true }).click()
  await page
    .getByRole('link', { name: /^rcpt_/ })
    .first()
    .click()
  await expect(page.getByText('Grants burned')).toBeVisible()
  await expectAccessible(page, 'receipt-360')
  await page.goto('/operator/customers/0b0e6b4e-9d0d-4a8e-9d0b-1f6a3c1d2e3f')
  await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible()
})
