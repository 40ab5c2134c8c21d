import { bucketSchema } from '#server/db/bucket-schema.ts'
import { allBucketIds } from '#server/db/buckets.ts'
import type { TestServer } from '#server/testing/harness.ts'

/** How Stripe's events reach us. */
export type EventDelivery = 'in order' | 'duplicated and shuffled' | 'lost, then reconciled'

/**
 * The result of pressing a button of a checkout page: where the browser goes, or null and the text of the page shown
 * again.
 */
export interface Pressed {
  location: string | null
  text: string
}

/**
 * The Stripe that stories run on: the sandbox with its pages and controls, or any server that speaks only Stripe's API.
 * A stage moves time, delivers events, and acts for the customer on Stripe's pages.
 */
export interface Stage {
  server: TestServer
  /** Stories that cannot run here, each with the reason. */
  unsupported: Record<string, string>
  /** Resets everything except the catalog, and returns to real time. */
  open: (delivery: EventDelivery) => Promise<void>
  /** Delivers Stripe's events and applies them, until nothing is waiting. */
  settle: () => Promise<void>
  /** Moves the clocks of product and Stripe together and runs everything due. */
  passTime: (seconds: number) => Promise<void>
  /** Presses a button of the checkout page at `url`. */
  press: (url: string, outcome: string, card?: string, buyer?: Record<string, string>) => Promise<Pressed>
  /** Presses a button of the portal page at `url` with the fields of its form. Returns the page's text. */
  portal: (url: string, fields: Record<string, string>) => Promise<string>
  openDispute: (chargeId: string) => Promise<string>
  closeDispute: (disputeId: string, outcome: 'won' | 'lost') => Promise<void>
  /** After each story. */
  clear: () => Promise<void>
  close: () => Promise<void>
}

/** A plan above Pro, to have something to change to. Operators add plans only at Stripe. */
export const maxPlan = {
  id: 'prod_finmeter_stories_max',
  name: 'Max',
  metadata: { credits: '300000' },
  default_price_data: { currency: 'usd', unit_amount: 4_900, recurring: { interval: 'month' as const } },
}

const metered = [
  'credit_accounts',
  'meter_keys',
  'meter_batches',
  'idempotency',
  'usage_events',
  'usage_pending',
  'usage_open',
].concat(['usage_hourly', 'usage_daily', 'usage_latency', 'usage_reports'])

/** Empties our database and returns to real time. This takes a second; a new server would take many. */
export async function wipeProduct({ db }: TestServer): Promise<void> {
  const buckets = await allBucketIds(db.kysely)
  const tables = buckets.flatMap((bucket) => metered.map((table) => `${bucketSchema(bucket)}.${table}`))
  // Citus empties the tables of a bucket by triggers, which replicas do not have.
  await db.pool.query(`begin; truncate ${tables.join(', ')} cascade; set local session_replication_role = replica;
    truncate accounts, profiles, stripe_events, app_clock cascade;
    update billing_settings set events_until = null; commit`)
}
