import { expect } from '@playwright/test'
import { test } from './fixtures.ts'
import { signInWithPlan } from './sign-in.ts'

/** A call of each kind of current data, with a figure of its source: Apple's 10-K of 2025, the Treasury's table of 2026. */
const calls: [tool: string, args: Record<string, unknown>, figure: RegExp][] = [
  [
    'get_financials',
    { symbol: 'AAPL', fields: ['revenue'], limit: 1, as_of: '2025-11-01', orient: 'periods' },
    /416,?161/,
  ],
  ['get_economic_series', { series_id: 'US.TREASURY.10Y', from: '2026-07-01', to: '2026-07-01' }, /4\.48/],
]

for (const [tool, args, figure] of calls)
  test(`a link fills in the form of ${tool}, and Run shows a current figure`, async ({ page, baseURL }) => {
    const query = new URLSearchParams({ tab: 'tools', tool, args: JSON.stringify(args) })
    await signInWithPlan(page, baseURL, `${tool.replaceAll('_', '-')}@example.com`, `/dashboard/playground/?${query}`)
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await expect(page.getByText(figure).first()).toBeVisible()
  })
