import { expect } from '@playwright/test'
import { test } from './fixtures.ts'
import { signIn } from './sign-in.ts'

test('an MCP-only key with a budget is created, changed and rotated in the browser', async ({ page, baseURL }) => {
  await signIn(page, baseURL, 'limits@example.com', '/dashboard/api-keys/new')
  await page.getByLabel('Key Name').fill('Claude')
  await page.getByText('Advanced').click()
  await page.getByLabel('Use for').selectOption('MCP only')
  await page.getByLabel('Monthly budget').fill('500')
  await page.getByLabel('Allowed addresses').fill('10.0.0.1/8')
  await page.getByRole('button', { name: 'Create API Key' }).click()
  await expect(page.getByText('10.0.0.1/8 has bits beyond /8: write 10.0.0.0/8 for the network')).toBeVisible()
  await page.getByLabel('Allowed addresses').fill('10.0.0.0/8\n127.0.0.1')
  await page.getByRole('button', { name: 'Create API Key' }).click()
  await page.getByRole('link', { name: 'Claude' }).click()

  await expect(page.getByText("500 credits left in this month's budget.")).toBeVisible()
  await expect(page.getByLabel('Use for')).toHaveValue('mcp')
  await expect(page.getByLabel('Allowed addresses')).toHaveValue('10.0.0.0/8\n127.0.0.1/32')
  await page.getByLabel('Rate limit').fill('30')
  await page.getByLabel('Monthly budget').fill('')
  await page.getByRole('button', { name: 'Save limits' }).click()
  await expect(page.getByText('Limits for this key, on top of workspace limits.')).toBeVisible()
  await page.reload()
  await expect(page.getByLabel('Rate limit')).toHaveValue('30')
  await expect(page.getByLabel('Monthly budget')).toHaveValue('')

  await page.getByRole('button', { name: 'Show the key Claude' }).click()
  // The new value is on the page twice: here, and in the notice.
  const value = page.getByRole('region', { name: 'Details' }).getByText(/^fm_[0-9A-Za-z]{38}$/)
  const before = await value.textContent()
  await page.getByRole('button', { name: 'Rotate' }).click()
  await page.getByLabel('Revoke the old key').selectOption('After 1 hour')
  await page.getByRole('dialog').or(page.getByRole('alertdialog')).getByRole('button', { name: 'Rotate' }).click()
  await expect(page.getByText('Old key works until')).toBeVisible()
  await expect(value).not.toHaveText(before!)
  const notice = page.getByRole('region', { name: 'New API key' })
  await expect(notice.getByText((await value.textContent())!, { exact: true })).toBeVisible()
})
