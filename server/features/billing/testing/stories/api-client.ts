import Stripe from 'stripe'
import type { TestServer } from '#server/testing/harness.ts'

/** A page that the product opened, with its parameters, which Stripe does not all return. */
export interface OpenedPage {
  id: string
  asked: URLSearchParams
}

export interface ApiClient {
  stripe: Stripe
  /** Checkout pages by URL. */
  pages: Map<string, OpenedPage>
  /** The test clock of new customers. */
  clock: string | null
}

/** How the suite reaches Stripe: a test key, and the URL of a compatible server if it is not Stripe. */
export interface ApiTarget {
  key: string
  url?: string | undefined
}

/**
 * The suite's key from STRIPE_TEST_SECRET_KEY (and STRIPE_TEST_URL), or null: the suite is skipped. Throws for anything
 * but a test-mode key, since the stories buy, refund and delete.
 */
export function readTestTarget(env: NodeJS.ProcessEnv): ApiTarget | null {
  const key = env.STRIPE_TEST_SECRET_KEY
  if (!key) return null
  if (/^[sr]k_live_/.test(key))
    throw new Error('STRIPE_TEST_SECRET_KEY is a live key. The stories run on test keys only.')
  if (!/^[sr]k_test_\w+$/.test(key))
    throw new Error('STRIPE_TEST_SECRET_KEY is not a secret key: it must begin with sk_test_ or rk_test_.')
  return { key, url: env.STRIPE_TEST_URL || undefined }
}

/**
 * Replaces the product's client by a watched one: the same SDK and requests, except that new customers get the story's
 * test clock, and the parameters of checkout pages are recorded.
 */
export function watchClient(server: TestServer, { key, url }: ApiTarget): ApiClient {
  const client: ApiClient = { stripe: null as unknown as Stripe, pages: new Map(), clock: null }
  const watching: typeof fetch = async (input, init) => {
    const { pathname } = new URL(String(input))
    const opens = init?.method === 'POST' && pathname === '/v1/checkout/sessions'
    const signsUp = init?.method === 'POST' && pathname === '/v1/customers' && client.clock !== null
    const headers = new Headers(init?.headers)
    headers.delete('content-length')
    const body = signsUp ? `${init.body}&test_clock=${client.clock}` : init?.body
    const answer = await fetch(input, { ...init, headers, ...(body !== undefined && { body }) })
    if (opens && answer.ok) {
      const made = (await answer.clone().json()) as { id: string; url: string }
      client.pages.set(made.url, { id: made.id, asked: new URLSearchParams(String(init.body)) })
    }
    return answer
  }
  const target = url ? new URL(url) : null
  client.stripe = new Stripe(key, {
    httpClient: Stripe.createFetchHttpClient(watching),
    telemetry: false,
    maxNetworkRetries: 2,
    ...(target && {
      host: target.hostname,
      port: target.port,
      protocol: target.protocol === 'https:' ? 'https' : 'http',
    }),
  })
  server.deps.stripe!.client = client.stripe
  return client
}
