import Fastify, { type FastifyInstance } from 'fastify'
import Stripe from 'stripe'
import { createTestDatabase } from '#server/testing/harness.ts'
import { createStripeSandbox, type StripeSandbox } from '../sandbox.ts'
import { eventProblems, problems } from './contract-check.ts'

export const webhookSecret = 'whsec_test_of_the_sandbox'
export const publicUrl = 'http://localhost:4999'

export interface Bench {
  stripe: Stripe
  sandbox: StripeSandbox
  app: FastifyInstance
  databaseUrl: string
  /** Every event that arrived, verified by the SDK. */
  events: Stripe.Event[]
  /** The status that the receiver answers with. */
  receiver: { status: number }
  /** Contract breaches seen in requests, answers and events. */
  breaches: string[]
  types: () => string[]
  setTime: (iso: string) => void
  close: () => Promise<void>
}

/** The sandbox on a new database, with the real SDK. Every request, answer and event is checked against the contract. */
export async function startBench(start = '2026-11-01T00:00:00Z', address = publicUrl): Promise<Bench> {
  const database = await createTestDatabase()
  let time = Date.parse(start)
  const breaches: string[] = []
  const events: Stripe.Event[] = []
  const receiver = { status: 200 }
  const verifier = new Stripe('sk_test_verifier')
  const sandbox = await createStripeSandbox({
    connectionString: database.url,
    publicUrl: address,
    webhookSecret,
    clock: () => time,
    tickMs: 0,
    deliver: async (payload, signature) => {
      const event = verifier.webhooks.constructEvent(payload, signature, webhookSecret)
      breaches.push(...eventProblems(event.type, JSON.parse(payload).data.object))
      events.push(event)
      return receiver.status
    },
  })
  const checked: typeof fetch = async (input, init) => {
    const made = await sandbox.fetch(input, init)
    const text = await made.clone().text()
    const form = typeof init?.body === 'string' ? init.body : ''
    breaches.push(...problems(init?.method ?? 'GET', new URL(String(input)), form, made.status, JSON.parse(text)))
    return made
  }
  const stripe = new Stripe('sk_test_sandbox', {
    httpClient: Stripe.createFetchHttpClient(checked),
    maxNetworkRetries: 0,
  })
  const app = Fastify()
  await app.register(sandbox.routes)
  await app.register(sandbox.api)
  return {
    stripe,
    sandbox,
    app,
    databaseUrl: database.url,
    events,
    receiver,
    breaches,
    types: () => events.map((event) => event.type),
    setTime: (iso) => {
      time = Date.parse(iso)
    },
    close: async () => {
      await app.close()
      await sandbox.stop()
      await database.drop()
    },
  }
}

export interface Catalog {
  free: Stripe.Price
  pro: Stripe.Price
  max: Stripe.Price
  proYear: Stripe.Price
  pack: Stripe.Price
  payg: Stripe.Price
  meter: Stripe.Billing.Meter
}

/** Free, Pro ($19, $182.40 a year), Max ($49), a credit pack ($10) and a metered price of 0.01 cent. */
export async function seedCatalog(stripe: Stripe): Promise<Catalog> {
  const plan = async (name: string, unit_amount: number) => {
    const product = await stripe.products.create({
      name,
      default_price_data: { currency: 'usd', unit_amount, recurring: { interval: 'month' } },
      expand: ['default_price'],
    })
    return product.default_price as Stripe.Price
  }
  const [free, pro, max] = [await plan('Free', 0), await plan('Pro', 1900), await plan('Max', 4900)]
  const proYear = await stripe.prices.create({
    product: pro.product as string,
    currency: 'usd',
    unit_amount: 18240,
    recurring: { interval: 'year' },
  })
  const pack = await stripe.prices.create({
    product_data: { name: '10,000 credits' },
    currency: 'usd',
    unit_amount: 1000,
  })
  const meter = await stripe.billing.meters.create({
    display_name: 'Requests',
    event_name: 'requests',
    default_aggregation: { formula: 'sum' },
  })
  const payg = await stripe.prices.create({
    product_data: { name: 'Pay as you go', metadata: { type: 'payg' } },
    currency: 'usd',
    unit_amount_decimal: '0.01' as never,
    recurring: { interval: 'month', usage_type: 'metered', meter: meter.id },
  })
  return { free, pro, max, proYear, pack, payg, meter }
}

/** A customer whose default card is this test card. */
export async function customerWith(
  stripe: Stripe,
  card: string | null,
  extra: Stripe.CustomerCreateParams = {},
): Promise<Stripe.Customer> {
  const saved = card ? { payment_method: card, invoice_settings: { default_payment_method: card } } : {}
  return stripe.customers.create({ email: 'ada@example.test', name: 'Ada', ...saved, ...extra })
}

/** An open invoice over one amount in cents, not collected yet. */
export async function finalInvoice(stripe: Stripe, customer: string, amount: number): Promise<Stripe.Invoice> {
  const invoice = (await stripe.invoices.create({ customer })).id as string
  await stripe.invoiceItems.create({ customer, invoice, amount, currency: 'usd', description: 'Credits' })
  return stripe.invoices.finalizeInvoice(invoice)
}

export const seconds = (iso: string): number => Date.parse(iso) / 1000
