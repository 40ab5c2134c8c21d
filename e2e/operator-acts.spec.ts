import { readFile } from 'node:fs/promises'
import { expect, type Page } from '@playwright/test'
import { strFromU8, unzipSync } from 'fflate'
import { expectAccessible } from './axe.ts'
import { test } from './fixtures.ts'
import { readMail } from './mailbox.ts'
import { openConsole } from './operator-console.ts'
import { signInWithPlan } from './sign-in.ts'

test.use({ apart: 'operator-acts' })

/** The product API as the person signed in on the page. */
const api = (page: Page, method: string, path: string, body?: object) =>
  page.evaluate(
    async ({ method, path, body }) => {
      const { access_token } = JSON.parse(localStorage.getItem('supabase.auth.token')!)
      const headers = { authorization: `Bearer ${access_token}`, ...(body && { 'content-type': 'application/json' }) }
      const answer = await fetch(path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
      return (await answer.json()).data
    },
    { method, path, body },
  )

/** A customer with the free plan and 10,000 bought credits. Returns the path of their page in the console. */
async function newCustomer(page: Page, baseURL: string, email: string): Promise<string> {
  await signInWithPlan(page, baseURL, email)
  const { workspace } = await api(page, 'GET', '/api/auth/profile')
  const { url } = await api(page, 'POST', '/api/billing/credits/topup', { packs: 1 })
  await page.goto(url)
  await page.getByRole('button', { name: 'Pay' }).first().click()
  await expect(page).toHaveURL(/dashboard\/billing/)
  await expect.poll(async () => (await api(page, 'GET', '/api/billing/credits')).credits.remaining).toBe(11_000)
  // Credits and invoice come with events of their own, in either order.
  const statuses = async () =>
    (await api(page, 'GET', '/billing/invoices')).map((one: { status: string }) => one.status)
  await expect.poll(statuses).toEqual(['paid'])
  return `/operator/customers/${workspace.id}`
}

async function openCustomer(page: Page, path: string): Promise<void> {
  await openConsole(page)
  await page.goto(path)
  await expect(page.getByRole('button', { name: 'Grant credits' })).toBeVisible()
}

async function act(page: Page, name: string, dialog: string) {
  const button = page.getByRole('main').getByRole('button', { name, exact: true })
  if (await button.isVisible()) await button.click()
  else {
    await page.getByRole('main').getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('menuitem', { name, exact: true }).click()
  }
  const form = page.getByRole(/Take|Refund|Suspend|End|Delete/.test(dialog) ? 'alertdialog' : 'dialog', {
    name: dialog,
  })
  await expect(form).toBeVisible()
  return form
}

test('a refund after a top-up, a person who asks for their data, and an abuser who is suspended and resumed', async ({
  page,
  browser,
  baseURL,
}) => {
  const other = await browser.newContext({ baseURL })
  const customer = await other.newPage()
  const path = await newCustomer(customer, baseURL, 'acts@example.com')
  await openCustomer(page, path)
  await expect(page.getByText('No notes yet')).toBeVisible()
  await expectAccessible(page, 'acts empty')

  const grant = await act(page, 'Grant credits', 'Grant credits')
  await grant.getByLabel('Credits', { exact: true }).fill('100')
  await expect(grant.getByLabel('Effect')).toContainText('Balance after11,100')
  await grant.getByRole('button', { name: 'Grant credits' }).click()
  await expect(grant.getByText('Give a reason of at least 10 characters.')).toBeVisible()
  await grant.getByLabel('Reason').fill('An apology for yesterday')
  await expectAccessible(page, 'acts grant')
  await grant.getByRole('button', { name: 'Grant credits' }).click()
  await expect(grant).toBeHidden()

  const take = await act(page, 'Take back credits', 'Take back credits')
  await take.getByLabel('Credits', { exact: true }).fill('1200')
  await take.getByLabel('Reason').fill('Granted to the wrong customer')
  await take.getByRole('button', { name: 'Take back credits' }).click()
  await expect(take.getByText('At most 1,100 credits can be taken back.')).toBeVisible()
  await take.getByLabel('Credits', { exact: true }).fill('100')
  await expect(take.getByLabel('Effect')).toContainText('Balance after11,000')
  await take.getByRole('button', { name: 'Take back credits' }).click()
  await expect(take).toBeHidden()

  // The invoice comes while the form is open, once the form was seen without it.
  let hasInvoice = false
  await page.route(/\/refunds$/, async (route) => {
    if (hasInvoice) return route.continue()
    const answer = await route.fetch()
    const { data } = await answer.json()
    await route.fulfill({ response: answer, json: { data: { ...data, invoices: [] } } })
  })
  const refund = await act(page, 'Refund', 'Refund an invoice')
  await expect(refund.getByText('This customer has no payment left to refund.')).toBeVisible()
  hasInvoice = true
  await expect(refund.getByLabel('Amount in dollars')).toHaveValue('2.00')
  await expect(refund.getByText('Takes back 10,000 credits.')).toBeVisible()
  await refund.getByLabel('Amount in dollars').fill('3')
  await refund.getByLabel('Reason').fill('Bought by mistake, says their mail')
  await refund.getByRole('button', { name: 'Refund $3.00' }).click()
  await expect(refund.getByText('At most $2.00 of this invoice can be refunded.')).toBeVisible()
  await refund.getByLabel('Amount in dollars').fill('0.5')
  await expect(refund.getByText('Takes back 2,500 credits.')).toBeVisible()
  await expectAccessible(page, 'acts refund')
  await refund.getByRole('button', { name: 'Refund $0.50' }).click()
  await expect(refund).toBeHidden()
  await page.getByRole('navigation', { name: 'Customer' }).getByRole('link', { name: 'Invoices' }).click()
  await expect(
    page.getByRole('region', { name: 'Refunds, table' }).getByRole('row', { name: /\$0\.50/ }),
  ).toContainText('Confirmed')
  await expectAccessible(page, 'acts refunds')
  await page.getByRole('navigation', { name: 'Customer' }).getByRole('link', { name: 'Overview' }).click()
  await expect.poll(async () => (await api(customer, 'GET', '/api/billing/credits')).credits.remaining).toBe(8_500)

  const note = await act(page, 'Add a note', 'Add a note')
  await note.getByLabel('Note').fill('Pays late in December.\nCall Ms. Example first.')
  await note.getByLabel('Reason').fill('Agreed with them by phone')
  await note.getByRole('button', { name: 'Add note' }).click()
  await expect(page.getByText('Pays late in December.')).toBeVisible()

  // A person asks for their data: the operator starts the export, and the person alone downloads it.
  const data = await act(page, 'Export data', 'Export data')
  await data.getByLabel('Reason').fill('Asked for it by mail, in writing')
  await data.getByRole('button', { name: 'Start export' }).click()
  await expect(data).toBeHidden()

  // An abuser is suspended: from then on the key is refused, and after a resumption it works again.
  const { apiKeys } = await api(customer, 'GET', '/api/keys')
  const call = async () =>
    (await fetch(`${baseURL}/v1/bars/AAPL`, { headers: { 'x-api-key': apiKeys[0].apiKey } })).status
  expect(await call()).toBe(200)
  const suspend = await act(page, 'Suspend', 'Suspend customer')
  await suspend.getByLabel('Reason').fill('Scrapes with stolen cards')
  await suspend.getByRole('button', { name: 'Suspend' }).click()
  await expect(page.getByText(/^Suspended since/)).toBeVisible()
  await expect.poll(call).toBe(403)
  await page.getByRole('main').getByRole('button', { name: 'More', exact: true }).click()
  await expect(page.getByRole('menuitem', { name: 'Resume' })).toBeVisible()
  await expectAccessible(page, 'acts menu')
  await page.keyboard.press('Escape')
  await page.setViewportSize({ width: 360, height: 800 })
  await expectAccessible(page, 'acts')
  await page.setViewportSize({ width: 1280, height: 800 })
  // From the list, by keys alone: its menu has the same acts.
  await page.goto('/operator/customers?state=suspended')
  await expect(page.getByRole('link', { name: 'acts@example.com' })).toBeVisible()
  await page.keyboard.press('j')
  await expect(page.getByRole('link', { name: 'acts@example.com' })).toBeFocused()
  await page.keyboard.press('m')
  await expectAccessible(page, 'customer row menu')
  await page.getByRole('menuitem', { name: 'Resume' }).press('Enter')
  const resume = page.getByRole('dialog', { name: 'Resume customer' })
  await resume.getByLabel('Reason').fill('They were somebody else')
  await resume.getByRole('button', { name: 'Resume' }).click()
  await expect(page.getByText('No matching customers')).toBeVisible()
  await expect.poll(call).toBe(200)
  await customer.goto('/dashboard/settings')
  const [file] = await Promise.all([
    customer.waitForEvent('download'),
    customer.getByRole('link', { name: 'Download export' }).click(),
  ])
  expect(file.suggestedFilename()).toMatch(/^finmeter-export-\d{4}-\d\d-\d\d\.zip$/)
  // All of it: what they are called, what operators wrote about them, and what was paid back.
  const exported = Object.values(unzipSync(await readFile(await file.path())))
    .map((part) => strFromU8(part))
    .join('')
  for (const part of ['acts@example.com', 'Pays late in December.', 'credits.granted']) expect(exported).toContain(part)
  expect(exported).not.toContain('An apology for yesterday')
  expect((await readMail(baseURL, 'acts@example.com', 1, 'Your data export is ready')).subject).toBe(
    'Your data export is ready',
  )

  await page.goto('/operator/audit')
  await expect(page.getByRole('row', { name: /credits\.granted/ })).toContainText('An apology for yesterday')
  await expect(page.getByRole('row', { name: /credits\.granted/ })).toContainText('balance: 11,000 → 11,100')
  await other.close()
})

test('an operator views the dashboard of a customer, who is told', async ({ page, browser, baseURL }) => {
  const other = await browser.newContext({ baseURL })
  const customer = await other.newPage()
  const path = await newCustomer(customer, baseURL, 'viewed@example.com')
  await openCustomer(page, path)
  const form = await act(page, 'View as customer', 'View as customer')
  await form.getByLabel('Reason').fill('They do not find their key')
  await form.getByRole('button', { name: 'Open dashboard' }).click()
  await expect(page).toHaveURL(/\/dashboard/)
  const bar = page.getByRole('complementary', { name: 'View of a customer' })
  await expect(bar).toContainText(/You see the pages of viewed@example\.com, read only\. 1[45]:\d\d left/)
  await expect(page.getByRole('heading', { name: 'Overview', level: 1 })).toBeVisible()
  await expectAccessible(page, 'view as')
  for (const [link, heading] of [
    ['API Keys', 'API Keys'],
    ['Billing', 'Billing'],
  ]) {
    await page.getByRole('navigation', { name: 'Dashboard' }).getByRole('link', { name: link!, exact: true }).click()
    await expect(page.getByRole('heading', { name: heading!, level: 1 })).toBeVisible()
    await expect(bar).toBeVisible()
  }
  await page.goto('/dashboard/settings/security')
  await expect(bar).toBeVisible()
  await page.goto('/dashboard/api-keys')
  await expect(page.getByText(/fm_\w{5,8}\.\.\./).first()).toBeVisible()
  await page.setViewportSize({ width: 360, height: 800 })
  await expectAccessible(page, 'view as keys')
  await page.setViewportSize({ width: 1280, height: 800 })
  // A link of the command line opens the same in another tab, and is not in its address.
  const stored = await page.evaluate(() => sessionStorage.getItem('finmeter.view')!)
  const tab = await page.context().newPage()
  await tab.goto(`${baseURL}/auth/enter#view=${encodeURIComponent(stored)}`)
  await expect(tab.getByRole('complementary', { name: 'View of a customer' })).toContainText('viewed@example.com')
  await expect(tab.getByRole('heading', { name: 'Overview', level: 1 })).toBeVisible()
  await expect(tab).toHaveURL(`${baseURL}/dashboard`)
  await tab.close()
  await bar.getByRole('button', { name: 'End' }).click()
  await expect(page).toHaveURL(path)
  // The tab is the operator's own again.
  await page.goto('/dashboard')
  await expect(page.getByRole('heading', { name: 'Overview', level: 1 })).toBeVisible()
  await expect(bar).toBeHidden()
  await customer.goto('/dashboard/settings/audit-log')
  await expect(customer.getByText('Viewed by support')).toBeVisible()
  await expect(customer.getByText('View by support ended')).toBeVisible()
  await other.close()
})
