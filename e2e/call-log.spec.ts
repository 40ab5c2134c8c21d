import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { expect, type Page } from '@playwright/test'
import { connect } from '#server/cli/connect.ts'
import { test } from './fixtures.ts'
import { signIn } from './sign-in.ts'

interface Called {
  tool: string
  key: string
  /** Days ago. */
  ago: number
  failed?: true
}

const calls: Called[] = [
  { tool: 'get_bars', key: 'Default', ago: 0 },
  { tool: 'get_quote', key: 'Default', ago: 0, failed: true },
  { tool: 'get_bars', key: 'Second', ago: 2 },
  { tool: 'get_quote', key: 'Second', ago: 2 },
  { tool: 'get_bars', key: 'Second', ago: 40, failed: true },
]
/** Days are counted from one moment: midnight may pass during a test. */
const now = Date.now()
const day = (ago: number) => new Date(now - ago * 86_400_000).toISOString().slice(0, 10)

/** Tool, key and result of each call; the log of a key has no column of keys. */
const lines = async (page: Page): Promise<string[]> => {
  const table = page.getByRole('region', { name: 'Latest calls, table' })
  const heads = await table.getByRole('columnheader').allTextContents()
  const columns = ['Tool', 'Key', 'Result'].map((name) => heads.indexOf(name)).filter((column) => column >= 0)
  return table.locator('tbody tr').evaluateAll(
    (rows, columns) =>
      rows.map((row) => {
        const cells = [...row.querySelectorAll('td')].map((cell) => cell.textContent?.trim())
        return columns.map((column) => cells[column]).join(' ')
      }),
    columns,
  )
}
const show = (page: Page, expected: string[]) => expect.poll(() => lines(page)).toEqual(expected)

/** A user with two keys and the calls above, as commits would have recorded them. */
async function prepare(page: Page, baseURL: string, dir: string): Promise<void> {
  const email = `calls-${randomUUID().slice(0, 8)}@example.com`
  await signIn(page, baseURL, email)
  await page
    .getByRole('button', { name: /Free Trial|free plan/i })
    .first()
    .click()
  // Redeeming creates the first key.
  await expect(page.getByText('Free plan activated!', { exact: true }).first()).toBeVisible()
  await page.goto('/dashboard/api-keys/new')
  await page.getByLabel('Key Name').fill('Second')
  await page.getByRole('button', { name: 'Create API Key' }).click()
  await expect(page.getByRole('row').filter({ hasText: 'Second' })).toBeVisible()
  const { db, close } = await connect({ FINMETER_DATA_DIR: dir })
  for (const [index, { tool, key, ago, failed }] of calls.entries()) {
    // At noon of its day, or just now, each a second before the one above it.
    const at = (ago > 0 ? Date.parse(`${day(ago)}T12:00:00Z`) : Date.now()) - index * 1000
    await db.pool.query(
      `with c as (
         select k.account_id, k.id, $3::timestamptz as at, t.id as tool
         from api_keys k join tools t on t.name = $2
         where k.name = $1 and k.account_id = (select a.id from accounts a join profiles p on p.user_id = a.personal_of where p.email = $5)
       ), e as (
         insert into usage_events select account_id, at, id, gen_random_uuid(), 1, tool, 3, 0, 0, not $4 from c
       ) insert into usage_pending select at, array[account_id], array[id], array[3], array[(not $4)::int], array[$4::int], array[0] from c`,
      [key, tool, new Date(at), failed ?? false, email],
    )
  }
  await close()
}

test('on Overview the call log is filtered by tool, key, result and day', async ({ page, baseURL, product }) => {
  await prepare(page, baseURL, product.dir)
  await page.goto('/dashboard')
  const [bars, quote, bars2, quote2, old] = [
    'get_bars Default Success',
    'get_quote Default Failed',
    'get_bars Second Success',
    'get_quote Second Success',
    'get_bars Second Failed',
  ] as const
  await show(page, [bars, quote, bars2, quote2, old])

  await expect(page.getByLabel('Tool', { exact: true })).toHaveCount(0)
  await page.getByRole('button', { name: 'All calls' }).click()
  await page.getByLabel('Tool', { exact: true }).selectOption('get_quote')
  await show(page, [quote, quote2])
  await page.getByLabel('Key', { exact: true }).selectOption('Second')
  await show(page, [quote2])
  await page.getByLabel('Tool', { exact: true }).selectOption('All')
  await show(page, [bars2, quote2, old])
  await page.getByLabel('Result', { exact: true }).selectOption('Failed')
  await show(page, [old])
  await page.getByRole('button', { name: 'Clear' }).click()
  await show(page, [bars, quote, bars2, quote2, old])

  // Both days are included.
  await page.getByLabel('From (UTC)').fill(day(2))
  await show(page, [bars, quote, bars2, quote2])
  await page.getByLabel('To (UTC)').fill(day(2))
  await show(page, [bars2, quote2])
  await page.getByLabel('From (UTC)').fill(day(41))
  await page.getByLabel('To (UTC)').fill(day(39))
  await show(page, [old])

  const started = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download CSV' }).last().click()
  const csv = await readFile(await (await started).path(), 'utf8')
  expect(csv.trimEnd().split('\r\n')).toHaveLength(2)
  expect(csv).toContain(',get_bars,Second,failed,0,')

  await page.getByLabel('Key', { exact: true }).selectOption('Playground')
  await expect(page.getByText('No calls match')).toBeVisible()
  await expect(page.getByText('No calls in this workspace match the filter.')).toBeVisible()
  await page.getByRole('button', { name: 'Clear' }).click()
  await show(page, [bars, quote, bars2, quote2, old])
})

test('on a key’s page the log has only its calls, and no key filter', async ({ page, baseURL, product }) => {
  await prepare(page, baseURL, product.dir)
  await page.goto('/dashboard/api-keys/')
  await page.getByRole('link', { name: 'Second' }).click()
  await show(page, ['get_bars Success', 'get_quote Success', 'get_bars Failed'])
  await expect(page.getByLabel('Key', { exact: true })).toHaveCount(0)
  await page.getByLabel('Tool', { exact: true }).selectOption('get_bars')
  await page.getByLabel('Result', { exact: true }).selectOption('Success')
  await show(page, ['get_bars Success'])
  await page.getByLabel('To (UTC)').fill(day(3))
  await expect(page.getByText('No calls with this key match the filter.')).toBeVisible()
  // Keyboard only: the control after the dates clears the filter.
  await page.getByLabel('To (UTC)').focus()
  const clear = page.getByRole('button', { name: 'Clear' })
  for (let i = 0; i < 8 && !(await clear.evaluate((one) => one === document.activeElement)); i++)
    await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await show(page, ['get_bars Success', 'get_quote Success', 'get_bars Failed'])
})
