import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Stripe from 'stripe'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#server/testing/harness.ts'
import { webhookSecret } from './testing/harness.ts'
import { type PeerProcess, startPeerProcess } from './testing/peer-process.ts'

let database: TestDatabase
let peer: PeerProcess
const verifier = new Stripe('sk_test_verifier')
const got: string[] = []
const receiver = createServer(async (request, response) => {
  let text = ''
  for await (const part of request) text += part
  got.push(verifier.webhooks.constructEvent(text, String(request.headers['stripe-signature']), webhookSecret).type)
  response.end()
})

beforeAll(async () => {
  database = await createTestDatabase()
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  const hook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
  peer = await startPeerProcess(database.url, '--webhook-url', hook, '--webhook-secret', webhookSecret)
})
afterAll(async () => {
  expect(await peer.stop()).toBe(0)
  await new Promise((resolve) => receiver.close(resolve))
  await database.drop()
})

it('serves the SDK as a separate process and posts signed events', async () => {
  const stripe = new Stripe('sk_test_peer', { host: '127.0.0.1', port: peer.port, protocol: 'http' })
  const product = await stripe.products.create({
    name: 'Pro',
    default_price_data: { currency: 'usd', unit_amount: 1900 },
  })
  const line_items = [{ price: product.default_price as string, quantity: 1 }]
  const session = await stripe.checkout.sessions.create({
    mode: 'payment',
    line_items,
    success_url: 'https://shop.test/',
  })
  expect((await fetch(session.url as string)).status).toBe(200)
  await expect.poll(() => got).toEqual(['product.created', 'price.created'])
})
