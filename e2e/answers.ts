import type { Page, Route } from '@playwright/test'

/** A successful answer of the product API with this data. */
export const answer = (data: unknown) => (route: Route) => route.fulfill({ json: { success: true, data } })

/** Holds requests back, then lets them through or does `then`. Returns what releases them. */
export async function hold(
  page: Page,
  url: string,
  then = (route: Route): Promise<void> => route.continue(),
): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route(url, async (route) => {
    await promise
    await then(route)
  })
  return resolve
}

const price = { id: 'price_x', nickname: null, currency: 'usd', product: 'prod_x' }

/** A subscription as the API answers it: Pro, active, paid monthly. */
export const subscription = (change: object = {}) => ({
  id: 'sub_1',
  status: 'active',
  plan_type: 'paid',
  plan_id: 'price_x',
  plan: { ...price, name: 'Pro', amount: 1900, interval: 'month', credits_included: 100_000 },
  items: {
    data: [{ price: { ...price, unit_amount: 1900, unit_amount_decimal: '1900', recurring: { interval: 'month' } } }],
  },
  currency: 'usd',
  current_period_end: Math.floor(Date.now() / 1000) + 12 * 86_400,
  trial_end: null,
  cancels_at: null,
  pending_change: null,
  provider_status: 'active',
  ...change,
})
