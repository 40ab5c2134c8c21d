import type { TestServer } from '../../../testing/harness.ts'
import { createStripeAccess, type StripeAccess } from '../../billing/stripe/client.ts'
import type { TestOperator } from './console.ts'

/** Stripe by the sandbox's protocol, which answers a request only if `answers` says so: else the network is down. */
export function unsteadyStripe(server: TestServer, answers: (request: string) => boolean): StripeAccess {
  const fetch: typeof globalThis.fetch = async (input, init) => {
    if (!answers(`${init?.method ?? 'GET'} ${new URL(String(input)).pathname}`)) throw new TypeError('fetch failed')
    return server.stripeSandbox!.fetch(input, init)
  }
  const config = { STRIPE_SECRET_KEY: undefined, STRIPE_WEBHOOK_SECRET: undefined, STRIPE_URL: undefined }
  return createStripeAccess(config, { fetch, webhookSecret: server.deps.stripe!.webhookSecret })!
}

/** Saves and publishes `change` of a product, as two acts. Returns the answer to the second. */
export async function publishChange(operator: TestOperator, id: string, change: object) {
  const { live, draft } = (await operator.call('GET', `/products/${id}`)).body.data.product
  const saved = await operator.act(`/products/${id}/draft`, {
    fields: { ...(draft?.fields ?? live), ...change },
    row_version: draft?.row_version ?? 0,
  })
  if (saved.status !== 200) throw new Error(saved.text)
  return operator.act(`/products/${id}/publish`, { row_version: saved.body.data.product.draft.row_version })
}
