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

/** For states that no screen reaches in the time of a test. */
export async function query(product: Product, sql: string): Promise<void> {
  const { db, close } = await connect({ FINMETER_DATA_DIR: product.dir })
  await db.pool.query(sql)
  await close()
}
