import { expect, type Locator, type Page } from '@playwright/test'
import { signIn } from './sign-in.ts'

let count = 0

/** Signs in as a new user and opens Billing. */
export async function openBilling(page: Page, baseURL: string, name = 'payer'): Promise<string> {
  count += 1
  const email = `${name}-${process.pid}-${count}@example.com`
  await signIn(page, baseURL, email, '/dashboard/billing/')
  await expect(page.getByRole('heading', { name: 'Billing', level: 1 })).toBeVisible()
  return email
}

export const planCard = (page: Page, name: string) =>
  page
    .getByRole('region', { name: 'Plans' })
    .getByRole('listitem')
    .filter({ has: page.getByRole('heading', { name, exact: true }) })

/** Starts checkout for Pro. */
export async function chooseProAndLeave(page: Page): Promise<void> {
  await planCard(page, 'Pro')
    .getByRole('button', { name: /^Choose Plan/ })
    .click()
  await expect(page.getByRole('heading', { name: 'Checkout', level: 1 })).toBeVisible()
}

/** Presses Tab until the control has visible focus. */
export async function tabTo(page: Page, control: Locator): Promise<void> {
  const isReached = () => control.evaluate((element) => element === document.activeElement)
  for (let presses = 0; presses < 100 && !(await isReached()); presses++) await page.keyboard.press('Tab')
  await expect(control).toBeFocused()
  expect(await control.evaluate((element) => element.matches(':focus-visible'))).toBe(true)
}
