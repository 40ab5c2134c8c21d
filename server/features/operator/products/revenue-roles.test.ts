import { expect, test } from 'vitest'
import { startTestServer } from '#server/testing/harness.ts'
import { closeAfterTests } from '../../../testing/close-after-tests.ts'
import { openConsole } from '../testing/console.ts'

const server = await closeAfterTests(startTestServer({ env: { SANDBOX: 'on' } }))

test('Products and the simulator show revenue to finance and owners only', async () => {
  for (const role of ['owner', 'finance', 'support', 'viewer'] as const) {
    const operator = await openConsole(server, role)
    const { data } = (await operator.call('GET', '/products')).body
    const one = (await operator.call('GET', `/products/${data.products[0].id}`)).body.data.product.product
    const simulated = (await operator.call('GET', '/price-simulation')).body.data
    const sees = role === 'owner' || role === 'finance'
    const prices = [...data.products.flatMap(({ prices }: { prices: object[] }) => prices), ...one.prices]
    expect(prices.length).toBeGreaterThan(1)
    expect([role, 'mrr' in data, prices.filter((price) => 'mrr' in price).length]).toEqual([
      role,
      sees,
      sees ? prices.length : 0,
    ])
    expect(Object.keys(simulated.totals).sort()).toEqual(
      sees
        ? ['cents', 'credits', 'customers', 'pay_less', 'pay_more', 'simulated_cents', 'simulated_credits']
        : ['credits', 'customers', 'simulated_credits'],
    )
  }
})
