import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, expect, type Page } from '@playwright/test'
import { type Connection, connect } from '#server/cli/connect.ts'
import { compose } from '#server/compose.ts'
import { loadConfig } from '#server/config/config.ts'
import { freePort } from '#server/db/embedded.ts'
import { type ServerProcess, startServerProcess } from '#server/testing/process.ts'
import { expectAccessibleAgain, expectAccessibleAtEachWidth } from './axe.ts'
import { chooseProAndLeave, openBilling, planCard } from './billing-person.ts'
import { test } from './fixtures.ts'
import { reloadUntilSeen } from './settled.ts'

// Uses its own server, because it moves the clock.
const DAY = 86_400
let server: ServerProcess
let connection: Connection
let dir: string
let url: string
let env: NodeJS.ProcessEnv
let browser: Browser

test.beforeAll(async ({ browser: launched }) => {
  dir = await mkdtemp(join(tmpdir(), 'finmeter-billing-'))
  const port = String(await freePort())
  env = { PORT: port, FINMETER_DATA_DIR: dir, NODE_ENV: 'development' }
  url = `http://localhost:${port}`
  server = startServerProcess(env)
  await server.ready
  connection = await connect(env)
  browser = launched
})
test.afterAll(async () => {
  await connection.close()
  await server.stop()
  await rm(dir, { recursive: true, force: true })
})

/** Moves the clocks of product and sandbox; the sandbox then runs what is due and sends its webhooks. */
async function passTime(seconds: number): Promise<void> {
  await connection.db.pool.query(
    `insert into app_clock (offset_by) values ($1 * interval '1 second')
     on conflict (only_row) do update set offset_by = app_clock.offset_by + excluded.offset_by`,
    [seconds],
  )
  await connection.db.pool.query(
    "update stripe_sandbox.settings set value = (value::bigint + $1)::text where name = 'clock_offset'",
    [seconds],
  )
}

const plan = (page: Page) => page.getByRole('region', { name: 'Current plan' })
const person = async (name: string): Promise<Page> => {
  const page = await (await browser.newContext()).newPage()
  await openBilling(page, url, name)
  return page
}
async function startTrial(page: Page): Promise<void> {
  await chooseProAndLeave(page)
  await page.getByRole('button', { name: 'Start trial' }).click()
  await expect(page.getByText('Your trial has started. Nothing has been charged.')).toBeVisible()
}
async function openPortal(page: Page): Promise<Page> {
  const opening = page.context().waitForEvent('page')
  await page.getByRole('button', { name: 'Manage Billing' }).click()
  const portal = await opening
  await expect(portal.getByRole('heading', { name: 'Billing', level: 1 })).toBeVisible()
  return portal
}
const untilPlanSays = (page: Page, text: string) => reloadUntilSeen(page, plan(page).filter({ hasText: text }))

test('a failed renewal is shown, and resolved when another card pays', async () => {
  test.setTimeout(600_000)
  const page = await person('late')
  await startTrial(page)
  let portal = await openPortal(page)
  await portal.getByRole('radio', { name: 'Visa 0341 saves, then every charge is declined' }).check()
  await portal.getByRole('button', { name: 'Save as default' }).click()
  await expect(portal.getByText('visa ending in 0341')).toBeVisible()
  await expectAccessibleAtEachWidth(portal, 'portal')
  await portal.close()

  await passTime(14 * DAY + 7_200)
  await untilPlanSays(page, 'Past due')
  await expect(page.getByRole('region', { name: 'Your last payment failed' })).toContainText(
    'Update your card under Manage Billing.',
  )
  await expect(plan(page)).toContainText('Payment due')
  await expect(plan(page)).not.toContainText('Next billing date')
  const opening = page.context().waitForEvent('page')
  await page.getByRole('button', { name: 'Update card' }).click()
  await (await opening).close()
  // A past-due plan is not current, and cannot be bought again.
  for (const name of ['Free', 'Pro', 'Pay-as-you-go'])
    await expect(planCard(page, name).getByRole('button', { name: `Change Plan: ${name}` })).toBeEnabled()
  await expectAccessibleAtEachWidth(page, 'past-due')
  await page.goto(`${url}/dashboard/billing/invoices`)
  await reloadUntilSeen(page, page.getByRole('row').nth(1).filter({ hasText: /open/ }))
  await expectAccessibleAgain(page, 'invoices-open')

  await page.goto(`${url}/dashboard/billing/`)
  portal = await openPortal(page)
  await portal.getByRole('radio', { name: 'Mastercard 4444 always pays' }).check()
  await portal.getByRole('button', { name: 'Save as default' }).click()
  await expect(portal.getByText('mastercard ending in 4444')).toBeVisible()
  await portal.close()
  await passTime(3 * DAY + 60)
  await untilPlanSays(page, 'Active')
  await expect(page.getByRole('region', { name: 'Your last payment failed' })).toBeHidden()
  await expect(page.getByRole('region', { name: 'API credits' })).toContainText('100,000')
  await expectAccessibleAtEachWidth(page, 'active')
  await page.goto(`${url}/dashboard/billing/invoices`)
  await reloadUntilSeen(page, page.getByRole('row').nth(1).filter({ hasText: /paid/ }))
  await expectAccessibleAgain(page, 'invoices-paid')
  await page.context().close()
})

test('no plan, no invoice and the free plan look right', async () => {
  test.setTimeout(600_000)
  const newcomer = await person('new')
  await expect(planCard(newcomer, 'Pro')).toBeVisible()
  await expectAccessibleAgain(newcomer, 'none')
  await newcomer.goto(`${url}/dashboard/billing/invoices`)
  await expect(
    newcomer.getByText('No invoices found. Invoices will appear here after your first payment.', { exact: true }),
  ).toBeVisible()
  await expectAccessibleAgain(newcomer, 'invoices-empty')
  await newcomer.context().close()

  const free = await person('free')
  await planCard(free, 'Free')
    .getByRole('button', { name: /^Redeem free plan/ })
    .click()
  await expect(plan(free)).toContainText('Free')
  await free.reload()
  await expect(plan(free)).toContainText('Renews on')
  await expectAccessibleAgain(free, 'free')
  await free.context().close()
})

test('checkout, trial, portal and a canceled plan look right', async () => {
  test.setTimeout(600_000)
  const trial = await person('trial')
  await chooseProAndLeave(trial)
  await expectAccessibleAtEachWidth(trial, 'checkout')
  await trial.getByRole('button', { name: 'Card is declined' }).click()
  await expect(trial.getByRole('alert')).toContainText('Your card was declined.')
  await expectAccessibleAtEachWidth(trial, 'checkout-declined')
  await trial.getByRole('button', { name: 'Authentication needed' }).click()
  await expectAccessibleAtEachWidth(trial, 'checkout-authentication')
  await trial.getByRole('button', { name: 'Complete authentication' }).click()
  await expect(trial.getByText('Your trial has started. Nothing has been charged.')).toBeVisible()
  await expect(plan(trial)).toContainText('Trial')
  await expectAccessibleAtEachWidth(trial, 'trial')
  const portal = await openPortal(trial)
  await portal.getByRole('button', { name: 'Preview change' }).click()
  await expect(portal.getByRole('button', { name: 'Confirm change' })).toBeVisible()
  await expectAccessibleAtEachWidth(portal, 'portal-preview')
  await portal.getByRole('link', { name: 'Back without changing' }).click()
  await portal.getByRole('button', { name: 'Cancel subscription' }).click()
  await expect(portal.getByRole('button', { name: 'Keep subscription' })).toBeVisible()
  await untilPlanSays(trial, 'Ends on')
  await expect(plan(trial)).toContainText('Canceled')
  await expectAccessibleAtEachWidth(trial, 'cancelled')
  await trial.context().close()
})

test('an annual plan looks right', async () => {
  test.setTimeout(600_000)
  const annual = await person('annual')
  await annual.getByRole('region', { name: 'Plans' }).getByRole('button', { name: 'Annual' }).click()
  await startTrial(annual)
  await expect(plan(annual)).toContainText('$182.40 yearly')
  await expectAccessibleAtEachWidth(annual, 'annual')
  await annual.context().close()
})

test('pay-as-you-go looks right, and its spend cap is validated, saved and removed', async () => {
  test.setTimeout(600_000)
  const payg = await person('payg')
  await planCard(payg, 'Pay-as-you-go')
    .getByRole('button', { name: /^Choose Plan/ })
    .click()
  await payg.getByRole('button', { name: 'Subscribe' }).click()
  await expect(payg.getByText('Payment complete. Your plan is active.')).toBeVisible()
  await expect(plan(payg)).toContainText('$0.01 per 100 requests')
  await expect(payg.getByRole('region', { name: 'API credits' })).toContainText('Calls are billed as pay-as-you-go')
  await expectAccessibleAtEachWidth(payg, 'payg')
  await expect(plan(payg)).toContainText('No limit. Every call is billed.')
  await payg.getByRole('button', { name: 'Set Spend cap' }).click()
  const dialog = payg.getByRole('dialog', { name: 'Spend cap' })
  await dialog.getByRole('textbox').fill('a lot')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog.getByText('Enter an amount such as 50 or 49.90, or leave it blank.')).toBeVisible()
  await expectAccessibleAtEachWidth(payg, 'spend-cap')
  await dialog.getByRole('textbox').fill('49.90')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(plan(payg)).toContainText('$49.90 per month. Calls stop when you reach it.')
  await payg.reload()
  await expect(plan(payg)).toContainText('$49.90 per month.')
  await payg.getByRole('button', { name: 'Change Spend cap' }).click()
  await dialog.getByRole('textbox').fill('')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(plan(payg)).toContainText('No limit. Every call is billed.')
  await payg.context().close()
})

test('a plan without end looks right; calls with a key are recorded and leave the balance alone', async () => {
  test.setTimeout(600_000)
  const operator = await compose(loadConfig(env), connection.databaseUrl, { sandboxTickMs: 0 })
  const endless = await operator.deps.stripe?.client.products.create({
    name: 'Endless',
    metadata: { unlimited: 'true' },
    marketing_features: [{ name: 'Unlimited requests' }],
    default_price_data: { currency: 'usd', unit_amount: 49_900, recurring: { interval: 'month' } },
  })
  try {
    const page = await person('endless')
    await reloadUntilSeen(page, planCard(page, 'Endless'))
    await planCard(page, 'Endless')
      .getByRole('button', { name: /^Choose Plan/ })
      .click()
    await page.getByRole('button', { name: 'Subscribe' }).click()
    await expect(page.getByText('Payment complete. Your plan is active.')).toBeVisible()
    await expect(plan(page)).toContainText('$499 monthly')
    const credits = page.getByRole('region', { name: 'API credits' })
    await expect(credits).toContainText('∞')
    await expect(credits.getByText('Unlimited', { exact: true })).toBeVisible()
    await expectAccessibleAtEachWidth(page, 'unlimited')

    await page.goto(`${url}/dashboard/api-keys/new`)
    await page.getByRole('textbox', { name: 'Key Name' }).fill('Endless')
    await page.getByRole('button', { name: 'Create API Key' }).click()
    // The plan has created the key Default.
    const row = page.getByRole('row').filter({ hasText: 'Endless' })
    await row.getByRole('button', { name: 'Show the key Endless' }).click()
    await expect(row).toContainText(/fm_\w{38}/)
    const key = /fm_\w{38}/.exec((await row.textContent()) ?? '')?.[0] ?? ''
    const answer = await page.request.get(`${url}/v1/bars/AAPL?range=1mo`, { headers: { 'x-api-key': key } })
    const sent = answer.headers()
    expect([answer.status(), sent['x-credits-charged'], sent['x-credits-remaining']]).toEqual([200, '0', 'unlimited'])
    await page.goto(`${url}/dashboard`)
    await expect(page.getByRole('region', { name: 'API credits' })).toContainText('Unlimited')
    await expect(page.getByRole('region', { name: 'Current plan' })).not.toContainText('credits included')
    await page.context().close()
  } finally {
    await operator.deps.stripe?.client.products.update(endless?.id ?? '', { active: false })
    await operator.close()
  }
})
