import { StripeError } from '../api/errors.ts'
import { changeSubscription, type UpdateParams } from '../billing/change-subscription.ts'
import { readAddress } from '../billing/checkout-tax.ts'
import { cancelNow } from '../billing/end-subscription.ts'
import { amountOf, priceText } from '../billing/lines.ts'
import { addIntervals, day, money } from '../billing/money.ts'
import type { PortalConfiguration } from '../billing/portal.ts'
import { preview } from '../billing/preview.ts'
import { releaseSchedule, scheduleFrom, updateSchedule } from '../billing/schedules.ts'
import type { Body, Customer, Fields, Invoice, Item, PaymentMethod, Price, Subscription } from '../objects/bodies.ts'
import { attach, paymentMethod } from '../objects/cards.ts'
import type { Session } from '../objects/session.ts'
import { addTaxId, customerTaxIds } from '../tax/tax-ids.ts'
import { nameField, placeFields, taxIdFields, taxRows } from './buyer-form.ts'
import type { Outcome, Shown } from './checkout-page.ts'
import { cardChoice, cardChoices, form, type Html, html, notice } from './layout.ts'

export interface Portal {
  session: Body
  configuration: PortalConfiguration
  customer: Customer
  token: string
}

const address = (portal: Portal) => `/sandbox/portal/${portal.session.id}`

async function planName(tx: Session, price: Price, currency: string): Promise<string> {
  const product = await tx.get<Body>('product', price.product)
  return `${product.name}, ${priceText(price, currency)}`
}

async function subscriptions(tx: Session, portal: Portal): Promise<Subscription[]> {
  return (await tx.find<Subscription>('subscription', { customer: portal.customer.id })).filter(
    (one) => !one.ended_at && one.status !== 'incomplete',
  )
}

/** The prices that the configuration lets a customer switch to. */
function allowedPrices({ configuration }: Portal): string[] {
  const { subscription_update: update } = configuration.features
  return update.enabled ? update.products.flatMap((product) => product.prices) : []
}

async function subscriptionSection(tx: Session, portal: Portal, subscription: Subscription): Promise<Html> {
  const { subscription_cancel: cancel } = portal.configuration.features
  const [item] = subscription.items.data as [Item]
  const { price } = item
  const own = html`<input type="hidden" name="subscription" value="${subscription.id}">`
  const ends = subscription.cancel_at
  const state = subscription.schedule
    ? 'A change is scheduled for the end of the period.'
    : ends
      ? `Ends on ${day(ends)}.`
      : subscription.status === 'trialing'
        ? `Free until ${day(item.current_period_end)}, then the first payment.`
        : `Renews on ${day(item.current_period_end)}.`
  const choices = []
  const { currency } = subscription
  for (const id of allowedPrices(portal)) {
    const other = id === price.id ? null : await tx.maybe<Price>(id)
    if (other?.active && (other.currency === currency || other._options?.[currency]))
      choices.push(html`<option value="${id}">${await planName(tx, other, currency)}</option>`)
  }
  const change = html`${own}<label>New plan<select name="price">${choices}</select></label><button name="action" value="preview">Preview change</button>`
  const end = ends
    ? html`<button class="primary" name="action" value="resume">Keep subscription</button>`
    : html`<button name="action" value="cancel">Cancel subscription</button>`
  return html`<section><h2>${await planName(tx, price, currency)}</h2><p><span class="badge">${subscription.status}</span> ${state}</p>
${choices.length && !ends ? form(address(portal), portal.token, change, 'Change plan') : null}
${cancel.enabled ? form(address(portal), portal.token, html`${own}${end}`, 'Cancel or keep') : null}</section>`
}

async function methodSection(tx: Session, portal: Portal): Promise<Html> {
  const id =
    portal.customer.invoice_settings.default_payment_method ??
    (await subscriptions(tx, portal))[0]?.default_payment_method
  const method = id ? await tx.maybe<PaymentMethod>(id) : null
  const current = method
    ? `${method.card?.brand ?? method.type} ending in ${method.card?.last4 ?? '····'}`
    : 'No payment method is saved.'
  const controls = html`${cardChoice(Object.keys(cardChoices))}<button name="action" value="card">Save as default</button>`
  return html`<section><h2>Payment method</h2><p>${current}</p>${form(address(portal), portal.token, controls, 'Payment method')}</section>`
}

async function invoiceSection(tx: Session, portal: Portal): Promise<Html> {
  const invoices = (await tx.find<Invoice>('invoice', { customer: portal.customer.id }))
    .filter((one) => one.number)
    .reverse()
  const rows = invoices.map(
    (one) =>
      html`<tr><td>${day(Number(one.created))}</td><td><a href="${one.invoice_pdf}">${one.number} (PDF)</a></td><td><span class="badge">${one.status}</span></td><td class="num">${money(one.total, one.currency)}</td></tr>`,
  )
  const table = html`<table><thead><tr><th>Date</th><th>Number</th><th>Status</th><th class="num">Total</th></tr></thead><tbody>${rows}</tbody></table>`
  return html`<section><h2>Invoices</h2>${rows.length ? table : html`<p class="soft">Invoices appear here after the first payment.</p>`}</section>`
}

/** The customer's name, address and tax ids, as far as the configuration lets them be changed. */
async function detailsSection(tx: Session, portal: Portal): Promise<Html> {
  const { customer } = portal
  const may = new Set(portal.configuration.features.customer_update.allowed_updates)
  const ids = (await customerTaxIds(tx, customer.id)).map(
    (id) => html`<li>${id.value} <span class="badge">${id.verification?.status}</span></li>`,
  )
  const controls = html`${may.has('name') ? nameField('business_name', 'Name', customer.name) : null}${may.has('address') ? placeFields(customer.address ?? {}) : null}${may.has('tax_id') ? taxIdFields() : null}<button name="action" value="details">Save details</button>`
  return html`<section><h2>Billing information</h2>${may.has('tax_id') && ids.length ? html`<ul>${ids}</ul>` : null}${form(address(portal), portal.token, controls, 'Billing information')}</section>`
}

async function saveDetails(tx: Session, portal: Portal, given: Fields): Promise<void> {
  const { customer } = portal
  const may = new Set(portal.configuration.features.customer_update.allowed_updates)
  const text = (name: string) => String(given[name] ?? '').trim()
  if (may.has('name') && text('business_name')) customer.name = text('business_name')
  if (may.has('address')) customer.address = readAddress(given)
  await tx.save(customer, 'customer.updated')
  const id = { type: text('tax_id_type'), value: text('tax_id') }
  if (may.has('tax_id') && id.value) await addTaxId(tx, customer.id, id)
}

/** The customer's page: plan, card and invoices, as enabled by the configuration. */
export async function showPortal(tx: Session, portal: Portal, problem: string | null): Promise<Shown> {
  const { features } = portal.configuration
  const all = await subscriptions(tx, portal)
  const sections = []
  for (const subscription of all) sections.push(await subscriptionSection(tx, portal, subscription))
  if (!all.length) sections.push(html`<section><h2>Subscription</h2><p class="soft">No subscription.</p></section>`)
  if (features.payment_method_update.enabled) sections.push(await methodSection(tx, portal))
  if (features.customer_update.enabled) sections.push(await detailsSection(tx, portal))
  if (features.invoice_history.enabled) sections.push(await invoiceSection(tx, portal))
  const home = portal.session.return_url
    ? html`<p><a href="${portal.session.return_url}">Return to the shop</a></p>`
    : null
  return {
    title: 'Billing',
    body: html`<h1>Billing</h1><p class="soft">${portal.customer.email}</p>${notice(problem)}${sections}${home}`,
  }
}

interface Plan {
  /** Whether the change waits for the end of the period: a lower amount or shorter interval, if so configured. */
  later: boolean
  params: UpdateParams
}

function planFor(portal: Portal, { currency }: Subscription, item: Item, price: Price): Plan {
  const { subscription_update: update } = portal.configuration.features
  const conditions = update.schedule_at_period_end.conditions.map((one) => one.type)
  const quantity = item.quantity ?? 1
  const length = (one: Price) => addIntervals(0, one.recurring?.interval ?? 'month', one.recurring?.interval_count ?? 1)
  const cheaper = amountOf(price, quantity, currency) < amountOf(item.price, quantity, currency)
  const shorter = length(price) < length(item.price)
  const later =
    (cheaper && conditions.includes('decreasing_item_amount')) ||
    (shorter && conditions.includes('shortening_interval'))
  const params: UpdateParams = {
    items: [{ id: item.id, price: price.id }],
    proration_behavior: update.proration_behavior,
    payment_behavior: 'error_if_incomplete',
  }
  if (update.billing_cycle_anchor) params.billing_cycle_anchor = { type: update.billing_cycle_anchor }
  return { later, params }
}

async function showPreview(
  tx: Session,
  portal: Portal,
  subscription: Subscription,
  item: Item,
  price: Price,
): Promise<Shown> {
  const { later, params } = planFor(portal, subscription, item, price)
  const { payment_behavior: _unused, ...details } = params
  const invoice = later
    ? null
    : ((await preview(tx, { subscription: subscription.id, subscription_details: details as never })) as Invoice)
  const rows = invoice?.lines.data.map(
    (line) => html`<tr><td>${line.description}</td><td class="num">${money(line.amount, invoice.currency)}</td></tr>`,
  )
  for (const [text, amount] of taxRows(invoice?.total_taxes, subscription.currency))
    rows?.push(html`<tr><td class="soft">${text}</td><td class="num">${amount}</td></tr>`)
  const today = invoice && (invoice.billing_reason === 'subscription_update' ? invoice.amount_due : 0)
  const facts = rows?.length
    ? html`<table><tbody>${rows}</tbody></table><p>Due today: <strong>${money(today || 0, subscription.currency)}</strong></p>`
    : later
      ? html`<p>The change takes effect on ${day(item.current_period_end)}. Nothing is due today.</p>`
      : html`<p>The change takes effect now. Nothing is due before ${day(item.current_period_end)}.</p>`
  const controls = html`<input type="hidden" name="subscription" value="${subscription.id}"><input type="hidden" name="price" value="${price.id}"><button class="primary" name="action" value="change">Confirm change</button>`
  const body = html`<section><h1>${await planName(tx, price, subscription.currency)}</h1>${facts}${form(address(portal), portal.token, controls, 'Confirm')}<p><a href="${address(portal)}">Back without changing</a></p></section>`
  return { title: 'Confirm change', body }
}

async function changePlan(
  tx: Session,
  portal: Portal,
  subscription: Subscription,
  item: Item,
  price: Price,
): Promise<void> {
  const { later, params } = planFor(portal, subscription, item, price)
  if (subscription.schedule) await releaseSchedule(tx, {}, subscription.schedule)
  const current = await tx.get<Subscription>('subscription', subscription.id)
  if (!later) {
    await changeSubscription(tx, current, params)
    return
  }
  const schedule = await scheduleFrom(tx, current)
  const now = {
    items: [{ price: item.price.id, quantity: item.quantity ?? 1 }],
    start_date: item.current_period_start,
    end_date: item.current_period_end,
  }
  const next = { items: [{ price: price.id, quantity: item.quantity ?? 1 }] }
  await updateSchedule(tx, { phases: [now, next] }, schedule.id)
}

async function saveCard(tx: Session, portal: Portal, card: string): Promise<void> {
  const method = await attach(
    tx,
    await paymentMethod(tx, Object.hasOwn(cardChoices, card) ? card : 'pm_card_visa'),
    portal.customer.id,
  )
  portal.customer.invoice_settings.default_payment_method = method.id
  await tx.save(portal.customer, 'customer.updated')
  for (const subscription of await subscriptions(tx, portal))
    await changeSubscription(tx, subscription, { default_payment_method: method.id })
}

async function act(tx: Session, portal: Portal, given: Fields): Promise<Outcome> {
  const { features } = portal.configuration
  const action = String(given.action)
  if (action === 'card' && features.payment_method_update.enabled) {
    await saveCard(tx, portal, String(given.card))
    return { redirect: address(portal) }
  }
  if (action === 'details' && features.customer_update.enabled) {
    await saveDetails(tx, portal, given)
    return { redirect: address(portal) }
  }
  const subscription = (await subscriptions(tx, portal)).find((one) => one.id === given.subscription)
  if (!subscription) return showPortal(tx, portal, 'This subscription no longer exists.')
  if (action === 'cancel' && features.subscription_cancel.enabled) {
    const end = subscription.items.data[0]?.current_period_end
    if (features.subscription_cancel.mode === 'immediately') await cancelNow(tx, subscription, {})
    else await changeSubscription(tx, subscription, { cancel_at: end ?? tx.now + 1 })
  } else if (action === 'resume' && features.subscription_cancel.enabled)
    await changeSubscription(tx, subscription, { cancel_at: '' })
  else if ((action === 'preview' || action === 'change') && allowedPrices(portal).includes(String(given.price))) {
    const price = await tx.get<Price>('price', String(given.price))
    const [item] = subscription.items.data as [Item]
    if (action === 'preview') return showPreview(tx, portal, subscription, item, price)
    await changePlan(tx, portal, subscription, item, price)
  } else return showPortal(tx, portal, 'This change is not available.')
  return { redirect: address(portal) }
}

/** Carries out an action. One that fails changes nothing and shows the reason. */
export async function actOnPortal(tx: Session, portal: Portal, given: Fields): Promise<Outcome> {
  await tx.client.query('savepoint portal')
  try {
    return await act(tx, portal, given)
  } catch (error) {
    if (!(error instanceof StripeError)) throw error
    await tx.client.query('rollback to savepoint portal')
    return showPortal(tx, portal, error.message)
  }
}
