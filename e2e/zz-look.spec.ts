import { expect } from '@playwright/test'
import { test } from './fixtures.ts'
import { signIn } from './sign-in.ts'

test('look', async ({ page, baseURL, context }) => {
  await page.setViewportSize({ width: 1280, height: 1600 })
  await signIn(page, baseURL!, 'look-zz@example.com')
  await page.goto(`${baseURL}/dashboard/`)
  await page.getByRole('button', { name: 'Redeem free plan' }).click()
  await expect(page.getByRole('button', { name: 'Copy command' })).toBeVisible()
  await page.goto(`${baseURL}/dashboard/playground/`)
  const field = page.getByRole('textbox', { name: 'Message' })
  await expect(field).toBeEnabled()
  for (const [i, line] of [
    'convert 100 EUR to USD',
    'help',
    'please echo yo',
    'sentiment of AAPL',
    'compare AAPL and MSFT',
  ].entries()) {
    await field.fill(line)
    await field.press('Enter')
    await page.waitForTimeout(1200)
    console.log('###', line, '->', (await page.getByRole('log').innerText()).slice(-600))
    await page.screenshot({ path: `/tmp/play/look-${i}.png` })
  }
  const two = await context.newPage()
  await two.goto(`${baseURL}/dashboard/playground/?tab=servers`)
  await two.waitForTimeout(2500)
  await two.getByRole('region', { name: 'finmeter' }).getByRole('button', { name: 'Disconnect' }).click()
  await page.waitForTimeout(1500)
  console.log('### first tab after disconnect', await page.locator('section header').first().innerText())
  await page.screenshot({ path: '/tmp/play/look-two.png' })
  await page.getByRole('button', { name: 'Retry' }).click()
  await page.waitForTimeout(2500)
  console.log(
    '### after retry: first',
    await page.locator('section header').first().innerText(),
    '| second',
    await two.locator('section header').first().innerText(),
  )
  await two.getByRole('button', { name: 'Tools', exact: true }).click()
  await two.getByRole('button', { name: 'Resources', exact: true }).click()
  await two.getByRole('button', { name: 'Read dataset://us-cpi' }).click()
  await page.waitForTimeout(1500)
  console.log('### resource in first', (await page.getByRole('log').innerText()).slice(-300))
  await page.screenshot({ path: '/tmp/play/look-resource.png' })
  for (const [name, w] of [
    ['light', 1280],
    ['dark', 1280],
    ['light', 360],
    ['dark', 360],
  ] as const) {
    await page.emulateMedia({ colorScheme: name })
    await page.setViewportSize({ width: w, height: 800 })
    await page.waitForTimeout(300)
    await page.screenshot({ path: `/tmp/play/chat-${name}-${w}.png` })
  }
})
