import AxeBuilder from '@axe-core/playwright'
import { expect } from '@playwright/test'
import { test } from './fixtures.ts'
import { signIn } from './sign-in.ts'

const visitorPages = ['/', '/login', '/docs/', '/nowhere']
const memberPages = ['/', '/dashboard/api-keys/', '/dashboard/api-keys/new']

for (const colorScheme of ['light', 'dark'] as const) {
  for (const width of [360, 1280]) {
    test(`no accessibility violations: ${colorScheme}, ${width} px`, async ({ browser, baseURL }) => {
      const context = await browser.newContext({ colorScheme, viewport: { width, height: 800 }, baseURL })
      const page = await context.newPage()
      const check = async (path: string) => {
        await page.goto(path)
        await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
        await page.waitForLoadState('networkidle')
        const { violations } = await new AxeBuilder({ page }).analyze()
        expect(violations.map(({ id, nodes }) => `${path} ${id}: ${nodes.map(({ html }) => html).join(' ')}`)).toEqual(
          [],
        )
      }
      for (const path of visitorPages) await check(path)
      await signIn(page, baseURL, `axe-${colorScheme}-${width}@example.com`)
      for (const path of memberPages) await check(path)
      await context.close()
    })
  }
}
