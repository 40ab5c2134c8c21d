import { readFile } from 'node:fs/promises'
import { expect, type Page } from '@playwright/test'
import { expectAccessible } from './axe.ts'
import { chooseProAndLeave, openBilling } from './billing-person.ts'
import { test } from './fixtures.ts'
import { buyPacks, openConsole, query } from './operator-console.ts'

test.use({ apart: 'operator-figures' })

const patient = { timeout: 60_000 }

/** Opens a page of the console after the clock was moved: a session of the console ends after twelve hours. */
async function enterAgain(page: Page, baseURL: string, path: string): Promise<void> {
  await page.goto(`${baseURL}/login?next=/operator`)
  await expect(page.getByRole('heading', { name: 'Today', level: 1 })).toBeVisible()
  await page.goto(baseURL + path)
}

/** Calls with the customer's first key, from their page. */
const call = (page: Page, times: number, range = '1mo'): Promise<number[]> =>
  page.evaluate(
    async ({ times, range }) => {
      const stored = Object.entries(localStorage).find(([, value]) => value.includes('access_token'))![1]
      const { access_token: token } = JSON.parse(stored)
      const keys = await (await fetch('/api/keys', { headers: { authorization: `Bearer ${token}` } })).json()
      const headers = { authorization: `Bearer ${keys.data.apiKeys[0].unkey}` }
      const statuses: number[] = []
      for (let n = 0; n < times; n++)
        statuses.push((await fetch(`/v1/series/OIL.WTI?range=${range}`, { headers, cache: 'no-store' })).status)
      return statuses
    },
    { times, range },
  )

test('an operator sees the first payment and call on Today, and closes the month in Finance', async ({
  page,
  browser,
  baseURL,
  clock,
}) => {
  test.setTimeout(600_000)
  // Today's figures are those of a UTC day, which must not end before they are read.
  await clock.move(`${86_400_000 - (((await clock.now()) + 43_200_000) % 86_400_000)} milliseconds`)
  const customer = await (await browser.newContext()).newPage()
  await openBilling(customer, baseURL)
  await buyPacks(customer, '3')
  // Months differ in length, so the figures are looked at in the month of the second payment.
  await clock.move('3 days')
  await chooseProAndLeave(customer)
  await customer.getByRole('button', { name: 'Start trial' }).click()
  await expect(customer.getByText('Your trial has started. Nothing has been charged.')).toBeVisible()
  expect(new Set(await call(customer, 12))).toEqual(new Set([200]))
  await clock.move('2 days')
  expect(new Set(await call(customer, 9))).toEqual(new Set([200]))
  expect(await call(customer, 2, 'never')).toEqual([400, 400])
  await customer.goto(`${baseURL}/dashboard/billing/`)
  await buyPacks(customer, '2')

  await openConsole(page, baseURL)
  const money = page.getByRole('region', { name: 'Money and credits' })
  await expect(money).toContainText('$4.00', patient)
  await expect(money).toContainText('20,000', patient)
  const calls = page.getByRole('region', { name: 'Calls', exact: true })
  await expect(calls).toContainText('Calls per second')
  await expect(
    page.getByRole('region', { name: 'Top tools' }).getByRole('row', { name: /get_economic_series/ }),
  ).toBeVisible(patient)
  // By itself: nobody reloads.
  const answered = page.getByRole('definition').filter({ hasText: /^9$/ })
  await expect(answered.first()).toBeVisible(patient)
  await call(customer, 1)
  await expect(page.getByRole('definition').filter({ hasText: /^10$/ }).first()).toBeVisible(patient)
  await expectAccessible(page, 'today')
  await page
    .getByRole('region', { name: 'Calls in the last 24 hours' })
    .getByRole('button', { name: 'View as table' })
    .click()
  await expect(page.getByRole('table').first()).toContainText('Successful')
  await page.setViewportSize({ width: 360, height: 800 })
  await expectAccessible(page, 'today')
  await page.setViewportSize({ width: 1280, height: 800 })

  await page.getByRole('link', { name: 'Revenue' }).click()
  await expect(page.getByRole('table', { name: /.*/ }).last()).toContainText('Credit packs', patient)
  await expectAccessible(page, 'revenue')
  await page.getByRole('link', { name: 'Credits' }).click()
  await expect(page.getByRole('region', { name: /^Credit liability at the end of [\d-]+ \(UTC\)$/ })).toContainText(
    'in total',
  )
  await expectAccessible(page, 'credits')
  await page.setViewportSize({ width: 360, height: 800 })
  await expectAccessible(page, 'credits')
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.getByRole('link', { name: 'Refunds' }).click()
  await expect(page.getByText('No refunds yet')).toBeVisible()
  await expectAccessible(page, 'refunds')

  await page.getByRole('link', { name: 'Journal' }).click()
  await expect(page.getByRole('row', { name: /Cash at the payment provider/ }).first()).toBeVisible(patient)
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download CSV: Entries' }).click()
  const [head, ...lines] = (await readFile(await (await download).path(), 'utf8')).trim().split('\n')
  expect(head).toBe('day,currency,account,debit,credit')
  const days = new Map<string, number>()
  for (const line of lines) {
    const cells = line.match(/("[^"]*"|[^,]+)/g)!
    days.set(cells[0]!, (days.get(cells[0]!) ?? 0) + Number(cells[3]) - Number(cells[4]))
  }
  expect(days.size).toBeGreaterThan(0)
  expect([...days.values()].every((left) => left === 0)).toBe(true)
  await expectAccessible(page, 'journal')

  // The month's end: what it closed with is what the next one opens with, and the journal of it stays as it was.
  const month = await page.getByLabel('Month (UTC)').inputValue()
  const closing = async (column: number) => {
    const table = page.getByRole('region', { name: 'Credit liability in the month, table' })
    const cell = table
      .getByRole('row', { name: /Credit packs/ })
      .getByRole('cell')
      .nth(column)
    return cell.textContent()
  }
  await page.goto(`/operator/finance/credits?month=${month}`)
  await expect(page.getByRole('region', { name: 'Credit liability in the month, table' })).toBeVisible()
  const closed = await closing(8)
  expect(closed).toMatch(/^\$\d/)
  await clock.move('32 days')
  const next = new Date(Date.parse(`${month}-01T00:00:00Z`) + 32 * 86_400_000).toISOString().slice(0, 7)
  await enterAgain(page, baseURL, `/operator/finance/credits?month=${next}`)
  await expect(async () => {
    await page.reload()
    await expect(page.getByRole('region', { name: 'Credit liability in the month, table' })).toBeVisible()
    expect(await closing(2)).toBe(closed)
  }).toPass(patient)
  await page.goto(`/operator/finance/journal?month=${month}`)
  await expect(page.getByRole('row', { name: /Cash at the payment provider/ }).first()).toBeVisible(patient)
  await page.setViewportSize({ width: 360, height: 800 })
  await expectAccessible(page, 'journal')
})

test('a card fails and a charge is disputed: the operator is told, finds both customers, and sees the money', async ({
  page,
  browser,
  baseURL,
  product,
  clock,
}) => {
  test.setTimeout(600_000)
  const later = async (days: number) => {
    await clock.move(`${days} days`)
    await query(
      product,
      `update stripe_sandbox.settings set value = (value::bigint + ${days * 86_400})::text where name = 'clock_offset'`,
    )
  }
  const debtor = await (await browser.newContext()).newPage()
  const owes = await openBilling(debtor, baseURL, 'owes')
  await chooseProAndLeave(debtor)
  await debtor.getByRole('radio', { name: /Visa 0341/ }).check()
  await debtor.getByRole('button', { name: 'Start trial' }).click()
  await expect(debtor.getByText('Your trial has started. Nothing has been charged.')).toBeVisible()
  const disputer = await (await browser.newContext()).newPage()
  const disputes = await openBilling(disputer, baseURL, 'disputes')
  await buyPacks(disputer, '1', 'Visa 0259')
  await later(15)

  await openConsole(page, baseURL)
  const attention = page.getByRole('region', { name: 'Needs attention', exact: true })
  await expect(attention).toContainText('1 payment failed', patient)
  await expect(attention).toContainText('1 dispute is open', patient)
  await expectAccessible(page, 'today with findings')
  await attention.getByRole('link', { name: 'Open customers' }).click()
  await expect(page).toHaveURL(/customers\?state=past_due$/)
  await expect(page.getByRole('row', { name: new RegExp(owes) })).toContainText('Payment due')
  await page.keyboard.press('j')
  await expect(page.getByRole('link', { name: owes })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: owes, level: 1 })).toBeVisible()
  const tabs = page.getByRole('navigation', { name: 'Customer' })
  await tabs.getByRole('link', { name: 'Invoices' }).click()
  await expect(page.getByRole('row', { name: /Pro/ })).toContainText('open')
  await expectAccessible(page, 'invoice unpaid')

  // The customer does as they are told: another card. The next attempt pays.
  await debtor.goto(`${baseURL}/dashboard/billing/`)
  const opening = debtor.context().waitForEvent('page')
  await debtor.getByRole('button', { name: 'Manage Billing' }).click()
  const portal = await opening
  await portal.getByRole('radio', { name: /Visa 4242/ }).check()
  await portal.getByRole('button', { name: 'Save as default' }).click()
  await expect(portal.getByText('visa ending in 4242')).toBeVisible()
  const { pathname } = new URL(page.url())
  await later(4)
  await enterAgain(page, baseURL, pathname)
  await expect(async () => {
    await page.reload()
    await expect(page.getByRole('row', { name: /Pro/ })).toBeVisible()
    expect(await page.getByRole('row', { name: /Pro/ }).textContent()).toContain('paid')
  }).toPass(patient)
  await page.getByRole('link', { name: 'Today' }).click()
  await expect(attention).toContainText('1 dispute is open', patient)
  await expect(attention).not.toContainText('payment failed', patient)

  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search' }).fill(disputes)
  await page.getByRole('option', { name: new RegExp(disputes) }).click()
  await tabs.getByRole('link', { name: 'Invoices' }).click()
  await expect(page.getByRole('row', { name: /credits/i })).toContainText('dispute: needs response')
  await expectAccessible(page, 'invoice disputed')
  await tabs.getByRole('link', { name: 'Ledger' }).click()
  await expect(page.getByText(/^10,000 credits taken back, from grant/)).toBeVisible()
  await page.getByRole('link', { name: 'Refunds' }).click()
  await expect(page.getByRole('row', { name: /Dispute: needs response/ })).toContainText('$2.00')
  await expectAccessible(page, 'disputes')
})
