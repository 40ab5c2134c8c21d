import type Stripe from 'stripe'
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { type Bench, type Catalog, seedCatalog, startBench } from './harness.ts'

/** What the tests of a file share; set before the first of them. */
export let bench: Bench
export let stripe: Stripe
export let plans: Catalog

/**
 * One bench with its catalog per test file. Each test starts without events and ends with no breach of the contract.
 */
export function shareBench(...start: Parameters<typeof startBench>): void {
  beforeAll(async () => {
    bench = await startBench(...start)
    stripe = bench.stripe
    plans = await seedCatalog(stripe)
  })
  beforeEach(async () => {
    await bench.sandbox.flush()
    bench.events.length = 0
  })
  afterAll(async () => {
    await bench.sandbox.flush()
    expect(bench.breaches).toEqual([])
    await bench.close()
  })
}
