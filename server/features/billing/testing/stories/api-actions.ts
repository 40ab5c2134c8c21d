import Stripe from 'stripe'
import type { ApiClient, OpenedPage } from './api-client.ts'
import type { Pressed } from './stage.ts'

/**
 * What a customer does on Stripe's checkout page, through Stripe's public API: the page is closed and its result is
 * created from the parameters that it was opened with. A closed page does nothing. A bank that asks for authentication
 * leaves the subscription incomplete; `authenticated` pays it with another card, since only a browser can pass the
 * bank's page.
 */
export function pressByApi(client: ApiClient, waiting: Map<string, string>) {
  const { stripe } = client
  return async (url: string, outcome: string, card = 'pm_card_visa'): Promise<Pressed> => {
    const page = client.pages.get(url)
    if (!page) throw new Error('this page was not opened by the product')
    const back = { location: page.asked.get('success_url'), text: '' }
    if (outcome === 'abandon') return { location: page.asked.get('cancel_url'), text: '' }
    const customer = page.asked.get('customer') ?? ''
    try {
      if (outcome === 'authenticated') {
        const method = await stripe.paymentMethods.attach('pm_card_visa', { customer })
        await stripe.invoices.pay(waiting.get(page.id) ?? '', { payment_method: method.id })
        return back
      }
      const name =
        { decline: 'pm_card_chargeDeclined', authenticate: 'pm_card_authenticationRequired' }[outcome] ?? card
      const method = await stripe.paymentMethods.attach(name, { customer })
      await stripe.checkout.sessions.expire(page.id)
      if (page.asked.get('mode') === 'payment') await payOnce(stripe, page, method.id)
      else {
        const made = await subscribe(stripe, page, method.id)
        if (made.status === 'incomplete') {
          waiting.set(page.id, String(made.latest_invoice))
          return { location: null, text: 'The bank asks for authentication.' }
        }
      }
      return back
    } catch (error) {
      if (error instanceof Stripe.errors.StripeCardError || error instanceof Stripe.errors.StripeInvalidRequestError)
        return { location: null, text: error.message }
      throw error
    }
  }
}

/** The parameters under a name: `subscription_data[metadata][a]` as `metadata[a]`. */
function under(asked: URLSearchParams, name: string): Record<string, string> {
  const found: Record<string, string> = {}
  for (const [key, value] of asked) {
    if (!key.startsWith(`${name}[`)) continue
    const [first, ...rest] = key.slice(name.length + 1).split(']')
    found[`${first}${rest.join(']')}`] = value
  }
  return found
}

/** Of a page that was opened in another currency than its price's own. */
const currencyOf = (asked: URLSearchParams): { currency?: string } => {
  const currency = asked.get('currency')
  return currency === null ? {} : { currency }
}

const subscribe = (stripe: Stripe, { asked }: OpenedPage, method: string): Promise<Stripe.Subscription> =>
  stripe.subscriptions.create({
    customer: asked.get('customer') ?? '',
    items: [
      { price: asked.get('line_items[0][price]') ?? '', ...(asked.has('line_items[0][quantity]') && { quantity: 1 }) },
    ],
    default_payment_method: method,
    ...currencyOf(asked),
    ...under(asked, 'subscription_data'),
  })

async function payOnce(stripe: Stripe, { asked }: OpenedPage, method: string): Promise<void> {
  const customer = asked.get('customer') ?? ''
  const draft = await stripe.invoices.create({
    customer,
    auto_advance: false,
    pending_invoice_items_behavior: 'exclude',
    ...currencyOf(asked),
    ...under(asked, 'invoice_creation[invoice_data]'),
  })
  const invoice = draft.id as string
  await stripe.invoiceItems.create({
    customer,
    invoice,
    pricing: { price: asked.get('line_items[0][price]') ?? '' },
    quantity: Number(asked.get('line_items[0][quantity]')),
    ...currencyOf(asked),
  })
  await stripe.invoices.finalizeInvoice(invoice, { auto_advance: false })
  await stripe.invoices.pay(invoice, { payment_method: method })
  if (!asked.has('payment_intent_data[setup_future_usage]')) await stripe.paymentMethods.detach(method)
}

/** What a customer does in the portal, by the equivalent API calls. */
export async function useApiPortal(stripe: Stripe, customer: string, fields: Record<string, string>): Promise<string> {
  const id = fields.subscription ?? ''
  try {
    if (fields.action === 'cancel') await stripe.subscriptions.update(id, { cancel_at_period_end: true })
    else if (fields.action === 'resume') await stripe.subscriptions.update(id, { cancel_at_period_end: false })
    else if (fields.action === 'card') await changeCard(stripe, customer, fields.card ?? '')
    else if (fields.action === 'change') await changePlan(stripe, id, fields.price ?? '')
    else throw new Error(`the portal has no ${fields.action}`)
    return ''
  } catch (error) {
    if (error instanceof Stripe.errors.StripeCardError) return error.message
    throw error
  }
}

/** The new card pays from now on, including open invoices. */
async function changeCard(stripe: Stripe, customer: string, card: string): Promise<void> {
  const method = await stripe.paymentMethods.attach(card, { customer })
  await stripe.customers.update(customer, { invoice_settings: { default_payment_method: method.id } })
  for (const { id } of (await stripe.subscriptions.list({ customer })).data)
    await stripe.subscriptions.update(id, { default_payment_method: method.id })
  for (const { id } of (await stripe.invoices.list({ customer, status: 'open' })).data)
    await stripe.invoices.pay(id as string, { payment_method: method.id })
}

/** An upgrade applies at once and is paid, or not at all. A downgrade waits for the end of the paid period. */
async function changePlan(stripe: Stripe, id: string, price: string): Promise<void> {
  const [found, wanted] = await Promise.all([stripe.subscriptions.retrieve(id), stripe.prices.retrieve(price)])
  const item = found.items.data[0]!
  if ((wanted.unit_amount ?? 0) >= (item.price.unit_amount ?? 0)) {
    await stripe.subscriptions.update(id, {
      items: [{ id: item.id, price }],
      proration_behavior: 'always_invoice',
      billing_cycle_anchor: { type: 'now' },
      payment_behavior: 'error_if_incomplete',
    })
    return
  }
  const schedule = await stripe.subscriptionSchedules.create({ from_subscription: id })
  const { start_date, end_date } = schedule.phases[0]!
  await stripe.subscriptionSchedules.update(schedule.id, {
    end_behavior: 'release',
    phases: [
      { items: [{ price: item.price.id, quantity: 1 }], start_date, end_date },
      { items: [{ price, quantity: 1 }], duration: { interval: 'month', interval_count: 1 } },
    ],
  })
}
