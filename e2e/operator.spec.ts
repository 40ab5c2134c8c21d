import { expect } from '@playwright/test'
import { expectAccessible } from './axe.ts'
import { test } from './fixtures.ts'

test('the operator of a trial opens the console from the sign-in page, adds an operator and reads the log', async ({
  page,
}) => {
  await page.goto('/operator')
  await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible()
  await page.goto('/login?next=/operator')
  await page.getByRole('button', { name: 'Continue with Google' }).click()
  await page.getByLabel('Email address').fill('operator@example.com')
  await page.getByRole('button', { name: 'Allow' }).click()
  await expect(page).toHaveURL(/:\d+\/operator/)
  await page.getByRole('link', { name: 'Operators' }).click()
  await expect(page.getByRole('row', { name: /operator@example\.com/ })).toContainText('owner')
  await page.getByRole('button', { name: 'Add an operator' }).click()
  const form = page.getByRole('dialog', { name: 'Add an operator' })
  await form.getByLabel('Email').fill('support@example.com')
  await form.getByLabel('Role').selectOption('support')
  await form.getByRole('button', { name: 'Save' }).click()
  await expect(form.getByText('Give a reason of at least 10 characters.')).toBeVisible()
  await form.getByLabel('Reason').fill('Answers customers from today')
  await expectAccessible(page, 'operators form')
  await form.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('row', { name: /support@example\.com/ })).toContainText('support')
  await page.getByRole('link', { name: 'Audit log' }).click()
  await expect(page.getByRole('row', { name: /operator\.set/ })).toContainText('Answers customers from today')
  await expectAccessible(page, 'audit')
  await page.getByRole('button', { name: 'Leave' }).click()
  await expect(page).toHaveURL(/localhost:\d+\/$/)
  await page.goto('/operator/operators')
  await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible()
})
