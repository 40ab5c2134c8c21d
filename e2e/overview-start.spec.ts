import { randomUUID } from 'node:crypto'
import { expect, type Page } from '@playwright/test'
import { answer, subscription } from './answers.ts'
import { test } from './fixtures.ts'
import { signIn } from './sign-in.ts'

const address = (name: string) => `${name}-${randomUUID().slice(0, 8)}@example.com`
const key = (value: string) => ({
  id: '00000000-0000-4000-8000-000000000001',
  name: 'Backtests',
  unkey: value,
  apiKey: value,
  created_at: '2026-01-01T00:00:00.000Z',
  usage_count: 0,
  last_used_at: null,
  last_used_client: null,
  scopes: null,
})
const start = (page: Page) => page.getByRole('region', { name: 'Get started' })
const figure = (page: Page, name: string) =>
  page
    .getByRole('region', { name: 'At a glance' })
    .locator('div')
    .filter({ has: page.getByText(name, { exact: true }) })

/** The names of the content's primary buttons. */
const firstActions = (page: Page) =>
  page.locator('main :is(a, button):not(:disabled)').evaluateAll((controls) => {
    const ink = getComputedStyle(document.body).color
    return controls.filter((one) => getComputedStyle(one).backgroundColor === ink).map((one) => one.textContent)
  })

test('from the plan to the first call in the browser: one action at a time, and the figures move', async ({
  page,
  baseURL,
}) => {
  const visited: string[] = []
  page.on('framenavigated', (frame) => visited.push(frame.url()))
  await signIn(page, baseURL, address('start'))
  await expect(start(page)).toContainText('0 of 4 done')
  await expect(page.getByRole('region', { name: 'At a glance' })).toHaveCount(0)
  await expect.poll(() => firstActions(page)).toEqual(['Redeem free plan'])

  await page.getByRole('button', { name: 'Redeem free plan' }).click()
  await expect(start(page)).toContainText('2 of 4 done')
  await expect(start(page).locator('[aria-current=step]')).toHaveText('3Make Your First Call')
  await expect(page.getByRole('region', { name: 'Free Credits' })).toContainText('1,000')
  await expect(page.getByRole('region', { name: 'What you will see here' })).toHaveCount(0)
  await expect.poll(() => firstActions(page)).toEqual(['Run'])
  await page.reload()
  await expect(start(page)).toContainText('2 of 4 done')

  const run = start(page).getByRole('button', { name: 'Run', exact: true })
  await run.focus()
  await page.keyboard.press('Enter')
  await expect(start(page).getByText('200 OK')).toBeVisible()
  for (const words of ['1 credit', '999 credits left'])
    await expect(start(page).getByText(words, { exact: true })).toBeVisible()
  const receipt = await start(page)
    .getByRole('button', { name: /^rcpt_/ })
    .getAttribute('title')
  await expect(start(page).getByRole('img', { name: /^OIL\.WTI, US dollars per barrel: / })).toBeVisible()
  await expect(figure(page, 'Success')).toContainText('1')
  await expect(figure(page, 'Failed')).toHaveText('Failed00% of requests')
  await expect(page.getByRole('region', { name: 'Free Credits' })).toContainText('999of 1,000 credits left')
  await expect(page.getByRole('row', { name: /get_economic_series/ })).toContainText(receipt!)
  await expect(start(page)).toContainText('3 of 4 done')
  // The step stays with its panel, which leads on to the next.
  await expect(start(page).locator('[aria-current=step]')).toHaveText('Make Your First Call(done)')
  await expect.poll(() => firstActions(page)).toEqual(['Choose a client'])
  await start(page).getByRole('button', { name: 'JSON', exact: true }).click()
  await expect(start(page).getByRole('region', { name: 'Response body' })).toContainText('"series_id": "OIL.WTI"')

  await page.reload()
  await expect(start(page).locator('[aria-current=step]')).toHaveText('4Start Using MCP')
  await expect(figure(page, 'Success')).toContainText('1')
  await expect(start(page)).toContainText('3 of 4 done')
  await expect(page.getByRole('region', { name: 'Make a call' })).toBeVisible()
  await expect.poll(() => firstActions(page)).toEqual(['Choose a client'])
  await start(page).getByRole('link', { name: 'Choose a client' }).click()
  await expect(page.getByRole('region', { name: 'Remote MCP' })).toBeInViewport()
  expect(visited.join(' ')).not.toContain('fm_')
  expect(await page.evaluate(() => JSON.stringify([history.state, localStorage, sessionStorage]))).not.toContain('fm_')
})

test('figures and the chart are on the first screen of an account in use, with the change', async ({
  page,
  baseURL,
}) => {
  await page.setViewportSize({ width: 1280, height: 800 })
  await signIn(page, baseURL, address('used'))
  await page.route('**/api/keys', answer({ apiKeys: [{ ...key(`fm_00001${'a'.repeat(33)}`), usage_count: 1200 }] }))
  const totals = { successfulRequests: 1199, failedRequests: 1, refusedRequests: 116, requestsThisMonth: 700 }
  const usage = {
    ...totals,
    totalRequests: 1200,
    avgSuccessRate: 99.916,
    latency: { p50: 5, p95: 13, p99: 27 },
    previous: { totalRequests: 1000, avgSuccessRate: 99.9, latency: { p50: 5, p95: 16, p99: 27 } },
    analytics: [
      { unkeyId: null, keyName: 'Playground', data: [{ time: new Date().toISOString(), success: 1199, failed: 1 }] },
    ],
    topApiKeys: [],
  }
  await page.route('**/api/usage?range=30d', answer(usage))
  await page.route('**/api/usage?range=7d', answer({ ...usage, previous: null }))
  await page.goto('/dashboard')
  await expect(figure(page, 'Success')).toHaveText('Success1,199Up 20% from 999')
  await expect(figure(page, 'Failed')).toHaveText('Failed1< 1% of requests')
  await expect(figure(page, 'Refused')).toHaveText('Refused1169% of requests')
  await expect(figure(page, 'p95 latency')).toHaveText('p95 latency13 msDown 3 ms from 16 ms')
  await expect(page.getByLabel('Requests by day')).toBeInViewport({ ratio: 1 })
  await expect(page.getByText('compared with the previous 30 days, up to the same hour')).toBeVisible()
  await page.getByRole('group', { name: 'Range' }).getByRole('button', { name: '7 d' }).click()
  await expect(figure(page, 'Success')).toHaveText('Success1,199700 requests this month')
  await expect(page.getByText('Last 7 days.', { exact: true })).toBeVisible()
})

test('a key that is refused, credits that ran out, and no response are shown where the call was run', async ({
  page,
  baseURL,
}) => {
  await signIn(page, baseURL, address('refused'))
  const one = subscription()
  await page.route('**/api/billing/subscription', answer({ subscription: one, subscriptions: [one] }))
  await page.route('**/api/keys', answer({ apiKeys: [key(`fm_00001${'a'.repeat(33)}`)] }))
  await page.goto('/dashboard')
  const run = start(page).getByRole('button', { name: 'Run', exact: true })
  await run.click()
  await expect(start(page).getByText(/^401/)).toBeVisible()
  await expect(start(page).getByRole('region', { name: 'Response' })).toContainText('"type"')
  await page.route('**/v1/series/**', (route) =>
    route.fulfill({ status: 402, json: { type: 'insufficient_credits', detail: 'No credits left.' } }),
  )
  await run.click()
  await expect(start(page).getByText('402 No credits left')).toBeVisible()
  await page.route('**/v1/series/**', (route) => route.abort())
  await run.click()
  await expect(start(page).getByRole('alert')).toHaveText('The server did not respond. Try again.')
  await expect(start(page)).toContainText('2 of 4 done')
})

test('each state names its one next step', async ({ page, baseURL }) => {
  await signIn(page, baseURL, address('states'))
  const whole = key(`fm_00001${'a'.repeat(33)}`)
  const active = subscription()
  const late = subscription({ status: 'past_due' })
  for (const [apiKeys, one, action, path] of [
    [[whole], null, 'Choose a Plan', '/dashboard/billing'],
    [[whole], late, 'Go to Billing', '/dashboard/billing'],
    [[], active, 'Create your first key', '/dashboard/api-keys/new'],
  ] as const) {
    await page.route('**/api/keys', answer({ apiKeys }))
    await page.route('**/api/billing/subscription', answer({ subscription: one, subscriptions: one ? [one] : [] }))
    await page.goto('/dashboard')
    await expect(start(page).getByRole('link', { name: action })).toHaveAttribute('href', path)
    await expect.poll(() => firstActions(page)).toEqual([action])
  }
})
