import Stripe from 'stripe'
import type { Config } from '../../../config/config.ts'
import { askBetween } from '../lease/ask-between.ts'

/** The payment mode: the local sandbox, Stripe test mode, or real money. Rows of different modes never mix. */
export type BillingMode = 'sandbox' | 'test' | 'live'

export interface StripeAccess {
  client: Stripe
  mode: BillingMode
  /** Verifies the signature of incoming events. */
  webhookSecret: string
  /** Who computes taxes: nobody, Stripe Tax, or the operator's own rates at Stripe. */
  taxes: Config['TAXES']
}

/** A local peer of the Stripe API, called in process. */
export interface StripePeer {
  fetch: typeof globalThis.fetch
  webhookSecret: string
}

// The browser gives up after 10 s, which leaves room for one slow response, or a quick failure and its retry.
const TIMEOUT_MS = 8_000
const RETRIES = 1

/**
 * The only Stripe client: for Stripe when STRIPE_SECRET_KEY is set (its prefix tells test from live), else for the
 * peer, else null: then nothing is sold here. The API version is the one that this SDK version pins.
 */
export function createStripeAccess(
  config: Pick<Config, 'STRIPE_SECRET_KEY' | 'STRIPE_WEBHOOK_SECRET' | 'STRIPE_URL'> & Partial<Pick<Config, 'TAXES'>>,
  peer: StripePeer | null,
): StripeAccess | null {
  const { STRIPE_SECRET_KEY: key, STRIPE_WEBHOOK_SECRET: webhookSecret, STRIPE_URL: url, TAXES: taxes = 'off' } = config
  if (key && webhookSecret) {
    const client = new Stripe(key, { ...limits, ...(url && addressOf(url)), httpClient: over(globalThis.fetch) })
    return { client, mode: /^[sr]k_live_/.test(key) ? 'live' : 'test', webhookSecret, taxes }
  }
  if (!peer) return null
  const client = new Stripe('sk_test_sandbox', { ...limits, httpClient: over(peer.fetch) })
  return { client, mode: 'sandbox', webhookSecret: peer.webhookSecret, taxes }
}

const over = (send: typeof globalThis.fetch) => Stripe.createFetchHttpClient(askBetween(send, TIMEOUT_MS))

const limits = { timeout: TIMEOUT_MS, maxNetworkRetries: RETRIES, telemetry: false } as const

/** Another host that speaks Stripe's protocol, such as a sandbox in a separate process. */
function addressOf(url: string): Pick<Stripe.StripeConfig, 'host' | 'port' | 'protocol'> {
  const { hostname, port, protocol } = new URL(url)
  const https = protocol === 'https:'
  return { host: hostname, port: port || (https ? 443 : 80), protocol: https ? 'https' : 'http' }
}
