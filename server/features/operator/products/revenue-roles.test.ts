import { expect, test } from 'vitest'
import { startTestServer } from '#server/testing/harness.ts'
import { closeAfterTests } from '../../../testing/close-after-tests.ts'
import { openConsole } from '../testing/console.ts'

const server = await closeAfterTests(startTestServer({ env: { SANDBOX: 'on' } }))

test('Products and the simulator show revenue to finance and owners only', async () => {
  await server.db.pool.query(
    `with account as (insert into accounts (public_id, name) values (gen_random_uuid(), 'Acme') returning id)
     insert into tool_months select date_trunc('month', app_now() at time zone 'UTC') - interval '1 month', id, $1, 3, 3, 3 from account`,
    [server.deps.tools.current().idOf('convert_currency')],
  )
  for (const role of ['owner', 'finance', 'support', 'viewer'] as const) {
    const operator = await openConsole(server, role)
    const { data } = (await operator.call('GET', '/products')).body
    const one = (await operator.call('GET', `/products/${data.products[0].id}`)).body.data.product.product
    const simulated = (await operator.call('GET', '/price-simulation?prices=convert_currency:2')).body.data
    const sees = role === 'owner' || role === 'finance'
    const prices = [...data.products.flatMap(({ prices }: { prices: object[] }) => prices), ...one.prices]
    expect(prices.length).toBeGreaterThan(1)
    expect([role, 'mrr' in data, prices.filter((price) => 'mrr' in price).length]).toEqual([
      role,
      sees,
      sees ? prices.length : 0,
    ])
    expect([simulated.totals.credits, simulated.totals.money.length, simulated.biggest.length]).toEqual([
      3,
      sees ? 1 : 0,
      sees ? 1 : 0,
    ])
  }
})
