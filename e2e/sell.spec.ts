import { expect } from '@playwright/test'
import { test } from './fixtures.ts'
import { takenOver } from './settled.ts'

test('from the home page to the command that sells an API, copied by keyboard alone', async ({
  page,
  baseURL,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto(`${baseURL}/`)
  await takenOver(page)
  await page.getByRole('main').getByRole('link', { name: 'Sell your API' }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1, name: 'Sell your API' })).toBeVisible()
  await takenOver(page)
  const step = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'Add your API' }) })
  await step.getByRole('button', { name: 'Copy' }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByText('Command copied to clipboard', { exact: true }).first()).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
    'npm run upstream -- add openapi.yaml --id acme --base https://api.acme.example --price 1',
  )
})

test('it says what is free, names alternatives with the date of reading, and says who should not use it', async ({
  page,
  baseURL,
}) => {
  await page.goto(`${baseURL}/sell`)
  const charges = page.getByRole('table').filter({ hasText: 'What happens' })
  await expect(charges.getByRole('row', { name: /Your API fails, times out/ })).toContainText('Free')
  await expect(charges.getByRole('row', { name: /Your API answers with a 2xx status/ })).toContainText('Your price')
  const compared = page.getByRole('table').filter({ hasText: 'Zuplo' })
  await expect(compared.getByRole('columnheader')).toHaveText([
    'Question',
    'Finmeter',
    'Zuplo',
    'Unkey',
    'Autumn',
    'OpenMeter',
    'Lago',
  ])
  await expect(page.getByText('Read in August 2026 in the public code and documentation, not tried:')).toBeVisible()
  const source = page.getByRole('link', { name: /^zuplo\/docs d01d37f/ })
  await expect(source).toHaveAttribute('href', 'https://github.com/zuplo/docs/tree/d01d37f/docs/articles/monetization')
  await expect(page.getByRole('region', { name: 'Not for you if' })).toContainText('You want someone else to host it.')
  await expect(
    page
      .getByRole('main')
      .getByRole('link', { name: /^Get the code/ })
      .first(),
  ).toHaveAttribute('href', 'https://github.com/finmeter/finmeter')
})
