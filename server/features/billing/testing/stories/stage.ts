import type { TestServer } from '#server/testing/harness.ts'

/** What happens to the news between Stripe and us. */
export type Weather = 'in order' | 'doubled and shuffled' | 'lost, then reconciled'

/** What a button of a checkout page led to: where the browser goes, or null and the text of the page shown again. */
export interface Pressed {
  location: string | null
  text: string
}

/**
 * Whose Stripe the stories are told on: the sandbox with its own pages and knobs, or any server that speaks Stripe's API
 * and nothing else. A stage moves time, carries news, and is the customer's hand on Stripe's pages.
 */
export interface Stage {
  server: TestServer
  /** Stories that cannot be told here, each with the reason. */
  untold: Record<string, string>
  /** An installation with nothing but the catalogue, at the true time. */
  open: (weather: Weather) => Promise<void>
  /** Brings what Stripe has to tell and applies it, until nothing waits on either side. */
  settle: () => Promise<void>
  /** Moves the clocks of product and Stripe together and lets everything due happen. */
  passTime: (seconds: number) => Promise<void>
  /** A button of the checkout page at `url`. */
  press: (url: string, outcome: string, card?: string) => Promise<Pressed>
  /** A button of the portal page at `url`: what its form holds. Answers the page's text. */
  portal: (url: string, fields: Record<string, string>) => Promise<string>
  openDispute: (chargeId: string) => Promise<string>
  closeDispute: (disputeId: string, outcome: 'won' | 'lost') => Promise<void>
  /** After each story. */
  clear: () => Promise<void>
  close: () => Promise<void>
}

/** A plan above Pro, so that there is something to change to. Operators add plans at Stripe only. */
export const maxPlan = {
  id: 'prod_finmeter_stories_max',
  name: 'Max',
  metadata: { credits: '300000' },
  default_price_data: { currency: 'usd', unit_amount: 4_900, recurring: { interval: 'month' as const } },
}

/** Empties our side, at the true time: a story costs a second instead of a server. */
export async function wipeProduct({ db }: TestServer): Promise<void> {
  await db.pool.query(`begin; set local session_replication_role = replica;
    truncate accounts, profiles, stripe_events, usage_events, usage_open, usage_hourly, usage_daily, usage_latency, usage_pending, meter_batches, idempotency, app_clock cascade;
    update billing_settings set events_until = null; commit`)
}
