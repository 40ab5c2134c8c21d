import type Stripe from 'stripe'
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { type Bench, type Catalogue, seedCatalogue, startBench } from './harness.ts'

/** What the tests of a file share; set before the first of them. */
export let bench: Bench
export let stripe: Stripe
export let plans: Catalogue

/** One bench with its catalogue for a file. Each test starts without events, and no breach of the contract is left at the end. */
export function shareBench(...start: Parameters<typeof startBench>): void {
  beforeAll(async () => {
    bench = await startBench(...start)
    stripe = bench.stripe
    plans = await seedCatalogue(stripe)
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
