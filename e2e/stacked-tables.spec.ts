import { randomUUID } from 'node:crypto'
import { expect, type Page } from '@playwright/test'
import { answer } from './answers.ts'
import { expectAccessibleAtEachWidth } from './axe.ts'
import { test } from './fixtures.ts'
import { settled } from './settled.ts'
import { signIn } from './sign-in.ts'

const value = `fm_00001${'a'.repeat(33)}`
const names = ['W'.repeat(200), 'مفتاح الاختبار الخلفي']
const apiKeys = names.map((name, n) => ({
  id: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
  name,
  unkey: value,
  apiKey: value,
  created_at: '2026-01-01T00:00:00.000Z',
  usage_count: 999_999_999_999,
  last_used_at: n === 0 ? null : new Date(Date.now() - 7_200_000).toISOString(),
}))
const receipts = names.map((keyName, n) => ({
  id: `rcpt_${'A'.repeat(34)}${n}`,
  // One of an earlier day, whose time is longer.
  time: new Date(Date.now() - (n === 0 ? 7_200_000 : 40 * 86_400_000)).toISOString(),
  tool: `get_${'very_'.repeat(8)}long_name`,
  keyName,
  status: n === 0 ? 'success' : 'failed',
  credits: n === 0 ? 1 : 123_456_789_012,
  durationMs: 123_456,
}))

/** How many pixels the widest table overflows by. */
const hidden = (page: Page) =>
  page
    .getByRole('region', { name: /, table$/ })
    .evaluateAll((tables) => Math.max(...tables.map((table) => table.scrollWidth - table.clientWidth)))

test('keys and calls fit without sideways scrolling; on a phone each row repeats its header', async ({
  page,
  baseURL,
}) => {
  await signIn(page, baseURL, `stacked-${randomUUID().slice(0, 8)}@example.com`)
  await page.route('**/api/keys', answer({ apiKeys }))
  await page.route('**/api/usage/receipts?*', answer({ receipts, nextCursor: null }))
  await page.goto('/dashboard')
  const keys = page.getByRole('region', { name: 'API Keys, table' })
  const calls = page.getByRole('region', { name: 'Latest calls, table' })
  await expect(calls.getByRole('row')).toHaveCount(3)
  for (const width of [360, 640]) {
    await page.setViewportSize({ width, height: 800 })
    expect(await hidden(page), String(width)).toBe(0)
    const row = keys.getByRole('row').nth(2)
    for (const words of ['Usage Count: 999,999,999,999', 'Last Used: 2 hours ago'])
      await expect(row.getByRole('cell').filter({ hasText: words })).toBeVisible()
    await expect(keys.getByRole('row').nth(1)).toContainText('Last Used: Never')
    for (const words of ['1 credit', 'Success', '123,456 ms', /\d{1,2}:\d\d(:\d\d)? [AP]M$/])
      await expect(calls.getByRole('row').nth(1).getByRole('cell', { name: words, exact: true })).toBeVisible()
    await expect(calls.getByRole('row').nth(2)).toContainText('123,456,789,012 credits')
  }
  // The full value fits too, and Tab goes from the name to the reveal and the copy button.
  await page.setViewportSize({ width: 360, height: 800 })
  await keys.getByRole('link', { name: names[1]! }).focus()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(keys.getByRole('row').nth(2).getByText(value, { exact: true })).toBeVisible()
  expect(await hidden(page)).toBe(0)
  await page.keyboard.press('Tab')
  await expect(keys.getByRole('button', { name: `Copy the key ${names[1]}` })).toBeFocused()
  for (const width of [768, 1024, 1280]) {
    await page.setViewportSize({ width, height: 800 })
    await expect(keys.getByRole('columnheader', { name: 'Usage Count' })).toBeVisible()
    await expect(keys.getByText('Usage Count:').first()).toBeHidden()
  }
  // At 1280 there is no sideways scrolling, and the end of the receipt, where receipts differ, is whole.
  expect(await hidden(page)).toBe(0)
  const cut = await calls
    .getByText(`rcpt_…${receipts[0]!.id.slice(-8)}`)
    .evaluate((id) => id.scrollWidth > id.clientWidth + 1 || id.scrollHeight > id.clientHeight + 1)
  expect(cut).toBe(false)
  const [card, copy] = [await calls.boundingBox(), await calls.getByRole('button').last().boundingBox()]
  expect(copy!.x + copy!.width).toBeLessThanOrEqual(card!.x + card!.width)
})

test('invoices of very large amounts fit on a phone', async ({ page, baseURL }) => {
  await signIn(page, baseURL, `stacked-${randomUUID().slice(0, 8)}@example.com`)
  const invoices = ['jpy', 'kwd', 'usd'].map((currency, n) => ({
    id: `in_${n}`,
    description: '1,000,000,000 credits',
    number: `SBX0A1B2C3D-000${n}`,
    created_at: '2026-11-20T00:00:00.000Z',
    amount: 123_456_789_010,
    currency,
    status: 'uncollectible',
    invoice_pdf: 'https://example.com/invoice.pdf',
    receipt: 'https://example.com/receipt.pdf',
    tax:
      n === 2
        ? { amount: 0, untaxed: 'not_collecting', lines: [] }
        : { amount: 19_711_588_020, untaxed: null, lines: [] },
  }))
  await page.route(({ pathname }) => pathname === '/billing/invoices', answer(invoices))
  await page.goto('/dashboard/billing/invoices')
  await expect(page.getByRole('row').nth(2)).toContainText('KWD 123,456,789.010incl. KWD 19,711,588.020 tax')
  for (const width of [320, 360, 767]) {
    await page.setViewportSize({ width, height: 800 })
    expect(await hidden(page), String(width)).toBe(0)
    await expect(
      page
        .getByRole('row')
        .nth(1)
        .getByRole('link', { name: /^Receipt/ }),
    ).toBeInViewport()
  }
  await expectAccessibleAtEachWidth(page, 'invoices-large')
})

test('on a phone a long name ends before the arrow of its select', async ({ page, baseURL }) => {
  await page.setViewportSize({ width: 360, height: 800 })
  await page.route('**/api/keys', answer({ apiKeys }))
  await signIn(page, baseURL, `select-${randomUUID().slice(0, 8)}@example.com`)
  const select = page.getByRole('region', { name: 'Remote MCP' }).getByRole('combobox', { name: 'API key' })
  // What comes later moves the select, and its picture would be of the place that it left.
  await settled(page)
  await expect(select).toBeEnabled()
  /** The part with the arrow. */
  const end = async () => {
    await select.scrollIntoViewIfNeeded()
    const { x, y, width, height } = (await select.boundingBox())!
    return page.screenshot({
      clip: { x: x + width - 30, y: y + 4, width: 26, height: height - 8 },
      animations: 'disabled',
    })
  }
  await select.selectOption('')
  const short = await end()
  await select.selectOption({ index: 1 })
  await expect(select).not.toHaveValue('')
  expect((await end()).equals(short)).toBe(true)
})
