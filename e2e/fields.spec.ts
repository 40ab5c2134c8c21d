import { randomUUID } from 'node:crypto'
import { expect } from '@playwright/test'
import { expectAccessible, pageWith, widths } from './axe.ts'
import { test } from './fixtures.ts'
import { signIn } from './sign-in.ts'

const address = () => `fields-${randomUUID().slice(0, 8)}@example.com`

test('a date is typed in ISO form or chosen in a calendar by keyboard; anything else is refused', async ({
  page,
  baseURL,
}) => {
  await signIn(page, baseURL, address(), '/dashboard/api-keys/new')
  await page.getByLabel('Key Name').fill('Dated')
  await page.getByText('Advanced').click()
  const expires = page.getByLabel('Expires')
  await expires.fill('11/23/2030')
  await expires.press('Enter')
  await expect(page).toHaveURL(/api-keys\/new$/)
  await expires.blur()
  await expect(page.getByRole('alert')).toHaveText('Write the date as YYYY-MM-DD HH:MM.')

  await expires.fill('2030-1-31')
  await expires.press('Tab')
  await expect(expires).toHaveValue('2030-01-31 23:59')
  await expect(page.getByRole('alert')).toHaveCount(0)
  const opener = page.getByRole('button', { name: 'Open calendar' })
  await expect(opener).toBeFocused()
  await page.keyboard.press('Enter')
  const calendar = page.getByRole('dialog', { name: 'Calendar' })
  const day = (name: string) => calendar.getByRole('button', { name, exact: true })
  await expect(day('Thursday, January 31, 2030')).toBeFocused()
  await expect(calendar.getByRole('gridcell', { selected: true })).toHaveText('31')
  for (const [key, name] of [
    ['ArrowRight', 'Friday, February 1, 2030'],
    ['ArrowDown', 'Friday, February 8, 2030'],
    ['Home', 'Sunday, February 3, 2030'],
    ['End', 'Saturday, February 9, 2030'],
    ['ArrowUp', 'Saturday, February 2, 2030'],
    ['PageDown', 'Saturday, March 2, 2030'],
    ['Shift+PageUp', 'Friday, March 2, 2029'],
    ['ArrowLeft', 'Thursday, March 1, 2029'],
  ] as const) {
    await page.keyboard.press(key)
    await expect(day(name)).toBeFocused()
  }
  await page.keyboard.press('Enter')
  await expect(calendar).toBeHidden()
  await expect(expires).toHaveValue('2029-03-01 23:59')
  await expect(opener).toBeFocused()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
  await expect(calendar).toBeHidden()
  await expect(opener).toBeFocused()

  await page.getByRole('button', { name: 'Create API Key' }).click()
  await expect(page.getByRole('row').filter({ hasText: 'Dated' })).toContainText('expires Mar 1, 2029')
})

test('a select opens its list below it, in our look, and arrows, typing and Enter choose', async ({
  page,
  baseURL,
}) => {
  await signIn(page, baseURL, address(), '/dashboard/settings/audit-log')
  const select = page.getByLabel('Show', { exact: true })
  await select.focus()
  await page.keyboard.press('Space')
  const option = page.getByRole('option', { name: 'Members' })
  await expect(option).toBeVisible()
  const [field, first] = [await select.boundingBox(), await page.getByRole('option').first().boundingBox()]
  expect(first!.y).toBeGreaterThanOrEqual(field!.y + field!.height)
  expect(await option.evaluate((one) => getComputedStyle(one).fontFamily)).toContain('Geist')
  await page.keyboard.type('mem')
  await page.keyboard.press('Enter')
  await expect(option).toBeHidden()
  await expect(select).toHaveValue('member')
  await expect(select).toBeFocused()
})

for (const width of widths)
  test(`fields with their lists open in ${width} px: accessible, and within the window`, async ({
    browser,
    baseURL,
  }) => {
    const page = await pageWith(browser, width, baseURL)
    await signIn(page, baseURL, address(), '/dashboard/api-keys/new')
    await page.getByText('Advanced').click()
    for (const [opener, list] of [
      [page.getByRole('button', { name: 'Open calendar' }), page.getByRole('dialog', { name: 'Calendar' })],
      [page.getByLabel('Use for'), page.getByRole('option', { name: 'MCP only' })],
    ] as const) {
      await opener.focus()
      await page.keyboard.press('Space')
      await expect(list).toBeVisible()
      const box = (await list.boundingBox())!
      expect(box.x).toBeGreaterThanOrEqual(0)
      expect(box.x + box.width).toBeLessThanOrEqual(width)
      await expectAccessible(page, 'a list of a field')
      await page.keyboard.press('Escape')
    }
    await page.context().close()
  })
