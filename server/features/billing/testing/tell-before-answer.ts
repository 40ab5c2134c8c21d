import Stripe from 'stripe'
import type { TestServer } from '#server/testing/harness.ts'
import { processEvents } from '../events/process-events.ts'
import { askBetween } from '../lease/ask-between.ts'
import { settleBilling } from './billing.ts'

/**
 * Applies the events of the next request to Stripe like this one before the server hears its answer, as when they are faster than the
 * commit. Returns whether it has happened. `tell` does something else in that moment.
 */
export function tellBeforeAnswer(
  server: TestServer,
  method: string,
  path: RegExp,
  tell: (server: TestServer) => Promise<unknown> = settleBilling,
): () => boolean {
  const access = server.deps.stripe!
  const { client } = access
  let told = false
  const send: typeof fetch = async (input, init) => {
    const answer = await server.stripeSandbox!.fetch(input, init)
    if (!told && init?.method === method && path.test(String(input))) {
      told = true
      access.client = client
      await tell(server)
    }
    return answer
  }
  access.client = new Stripe('sk_test_sandbox', { httpClient: Stripe.createFetchHttpClient(askBetween(send, 8_000)) })
  return () => told
}

/** Sends the events once, and applies those that may be: none of a customer whose lease is held. */
export async function tellOnce({ stripeSandbox, deps }: TestServer): Promise<void> {
  await stripeSandbox!.flush()
  await processEvents(deps)
}
