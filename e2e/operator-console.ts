import { expect, type Page } from '@playwright/test'
import { connect } from '#server/cli/connect.ts'
import type { Product } from './fixtures.ts'

/** Signs in through the screens as the sandbox's operator, whose console opens. */
export async function openConsole(page: Page, baseURL = ''): Promise<void> {
  await page.goto(`${baseURL}/login?next=/operator`)
  await page.getByRole('button', { name: 'Continue with Google' }).click()
  await page.getByLabel('Email address').fill('operator@example.com')
  await page.getByRole('button', { name: 'Allow' }).click()
  await expect(page.getByRole('navigation', { name: 'Console' })).toBeVisible()
}

/** A customer buys credits on Billing and pays at the provider's page. */
export async function buyPacks(page: Page, packs: string, card = 'Visa 4242'): Promise<void> {
  await page.getByRole('region', { name: 'API credits' }).getByRole('button', { name: 'Buy credits' }).click()
  const dialog = page.getByRole('dialog', { name: 'Buy credits' })
  await dialog.getByRole('textbox', { name: 'Packs' }).fill(packs)
  await dialog.getByRole('button', { name: 'Continue to payment' }).click()
  await page.getByRole('radio', { name: new RegExp(card) }).check()
  await page.getByRole('button', { name: 'Pay', exact: true }).click()
  await expect(page.getByText(/^Payment complete\./)).toBeVisible()
}

/** For states that no screen reaches in the time of a test. */
export async function query(product: Product, sql: string): Promise<void> {
  const { db, close } = await connect({ FINMETER_DATA_DIR: product.dir })
  await db.pool.query(sql)
  await close()
}
