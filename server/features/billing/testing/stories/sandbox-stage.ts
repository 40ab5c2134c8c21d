import { startTestServer } from '#server/testing/harness.ts'
import { passTime, pressCheckout, settleBilling } from '../billing.ts'
import { maxPlan, type Stage, wipeProduct } from './stage.ts'

/** The stories on the sandbox in this process, its pages pressed as in a browser. */
export async function startSandboxStage(env: NodeJS.ProcessEnv = {}): Promise<Stage> {
  const server = await startTestServer({ env })
  const sandbox = server.stripeSandbox!
  await server.deps.stripe!.client.products.create(maxPlan)
  await settleBilling(server)
  return {
    server,
    unsupported: {},
    open: async (delivery) => {
      await wipeProduct(server)
      await server.db.pool.query(`
        delete from stripe_sandbox.deliveries; delete from stripe_sandbox.idempotency;
        delete from stripe_sandbox.objects where type not in ('product', 'price', 'billing.meter', 'billing_portal.configuration', 'tax.registration', 'tax_rate');
        update stripe_sandbox.settings set value = '0' where name = 'clock_offset'`)
      if (delivery === 'duplicated and shuffled') Object.assign(sandbox.disturbances, { duplicates: 1, shuffle: true })
      if (delivery === 'lost, then reconciled') sandbox.disturbances.drop = () => true
    },
    settle: () => settleBilling(server),
    passTime: (seconds) => passTime(server, seconds),
    press: pressCheckout,
    portal: async (url, fields) => {
      const token = /name="token" value="([^"]+)"/.exec(await (await fetch(url)).text())?.[1] ?? ''
      return (await fetch(url, { method: 'POST', body: new URLSearchParams({ token, ...fields }) })).text()
    },
    openDispute: sandbox.openDispute,
    closeDispute: sandbox.closeDispute,
    clear: async () => {},
    close: () => server.close(),
  }
}
