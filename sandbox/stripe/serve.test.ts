import { type ChildProcess, spawn } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import Stripe from 'stripe'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freePort } from '#server/db/embedded.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/harness.ts'
import { webhookSecret } from './testing/harness.ts'

let database: TestDatabase
let peer: ChildProcess
let port: number
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
  port = await freePort()
  const hook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
  const script = fileURLToPath(new URL('./serve.ts', import.meta.url))
  const where = ['--database-url', database.url, '--port', String(port), '--webhook-url', hook]
  peer = spawn(process.execPath, [script, ...where, '--webhook-secret', webhookSecret], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  await new Promise<void>((resolve, reject) => {
    let seen = ''
    peer.stderr?.on('data', (part) => {
      seen += part
      if (seen.includes('ready at')) resolve()
    })
    peer.once('exit', (code) => reject(new Error(`The peer ended with ${code}: ${seen}`)))
  })
})
afterAll(async () => {
  const ended = new Promise((resolve) => peer.once('exit', resolve))
  peer.kill('SIGTERM')
  expect(await ended).toBe(0)
  await new Promise((resolve) => receiver.close(resolve))
  await database.drop()
})

it('serves the SDK as a process of its own and posts signed events by itself', async () => {
  const stripe = new Stripe('sk_test_peer', { host: '127.0.0.1', port, protocol: 'http' })
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
  await expect.poll(() => got, { timeout: 5000 }).toEqual(['product.created', 'price.created'])
})
