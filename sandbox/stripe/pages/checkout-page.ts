import { StripeError } from '../api/errors.ts'
import { completeSession, expireSession, needsCard } from '../billing/checkout.ts'
import { enterDetails, sessionTaxes } from '../billing/checkout-tax.ts'
import { priceText } from '../billing/lines.ts'
import { day, money } from '../billing/money.ts'
import type { CheckoutSession, Fields, PaymentMethod } from '../objects/bodies.ts'
import { paymentMethod } from '../objects/cards.ts'
import type { Session } from '../objects/session.ts'
import { taxOf } from '../tax/compute.ts'
import { buyerFields, taxRows } from './buyer-form.ts'
import { cardChoice, cardChoices, form, type Html, html, notice } from './layout.ts'

export interface Shown {
  title: string
  body: Html
}

/** The result of a form post: a redirect, or a page to show. */
export type Outcome = { redirect: string } | Shown

const address = (session: CheckoutSession) => `/sandbox/checkout/${session.id}`
const back = (session: CheckoutSession, url: string) => url.replaceAll('{CHECKOUT_SESSION_ID}', session.id)

/** The page of an open session: the items, and one button per outcome. */
export async function showCheckout(
  tx: Session,
  session: CheckoutSession,
  token: string,
  problem: string | null,
): Promise<Shown> {
  const { _items: items, amount_total: total, currency } = session
  const trial = (session._params.subscription_data as Fields | undefined)?.trial_period_days as number | undefined
  const rows = items.map(
    (item) =>
      html`<tr><td>${item.quantity > 1 ? `${item.quantity} × ` : ''}${item.name}<br><span class="soft">${priceText(item.price, item.currency)}${item.quantity > 1 ? ' each' : ''}</span></td><td class="num">${trial ? html`${money(0, item.currency)}<br><span class="soft">then ${money(item.amount, item.currency)}</span>` : money(item.amount, item.currency)}</td></tr>`,
  )
  const taxes = taxRows(await sessionTaxes(tx, session), currency ?? 'usd').map(
    ([text, amount]) => html`<tr><td class="soft">${text}</td><td class="num">${amount}</td></tr>`,
  )
  const later = session.automatic_tax.status === 'requires_location_inputs'
  const buyer = await buyerFields(tx, session)
  const verb = session.mode === 'payment' ? 'Pay' : trial ? 'Start trial' : 'Subscribe'
  const button = (outcome: string, text: string, first = false) =>
    html`<button name="outcome" value="${outcome}"${first ? html` class="primary"` : null}>${text}</button>`
  const cards = needsCard(session) ? cardChoice(Object.keys(cardChoices)) : null
  const refusals = html`${button('decline', 'Card is declined')}${button('insufficient_funds', 'Insufficient funds')}${button('authenticate', 'Authentication needed')}`
  const body = html`<section><h1>Checkout</h1><p class="total">${money(total ?? 0, currency ?? 'usd')} <small class="soft">due today</small></p>
${trial ? html`<p>Free for ${trial} days, until ${day(tx.now + trial * 86_400)}. Then ${await afterTrial(tx, session)}, until canceled.</p>` : null}
<table><thead><tr><th>Item</th><th class="num">Amount</th></tr></thead><tbody>${rows}${taxes}</tbody></table>${later ? html`<p class="soft">Tax is added when your address is known.</p>` : null}</section>
${notice(problem)}<section><h2>Payment</h2>
${form(address(session), token, html`${buyer}${cards}${button('pay', verb, true)}<div class="outcomes"><p>Or try what happens when a payment fails:</p>${needsCard(session) ? refusals : null}${button('abandon', 'Leave without paying')}</div>`, 'Payment')}</section>`
  return { title: 'Checkout', body }
}

/** What is charged after a trial: `$22.61, with VAT Germany (19%) $3.61`. */
async function afterTrial(tx: Session, session: CheckoutSession): Promise<string> {
  const currency = session.currency ?? 'usd'
  const taxes = await sessionTaxes(tx, session, true)
  const total = session._items.reduce((sum, { amount }) => sum + amount, taxOf(taxes, 'exclusive'))
  return [money(total, currency), ...taxRows(taxes, currency).map((row) => row.join(' '))].join(', with ')
}

/** The page of a session that is complete or expired. */
export function showClosed(session: CheckoutSession): Shown {
  const done = session.status === 'complete'
  const target = done ? session.success_url : session.cancel_url
  const text = done ? 'This checkout is complete.' : 'This checkout has expired. Start again from the shop.'
  const link = target ? html`<p><a href="${back(session, target)}">Back to the shop</a></p>` : null
  return { title: 'Checkout', body: html`<section><h1>Checkout</h1><p>${text}</p>${link}</section>` }
}

function challenge(session: CheckoutSession, token: string, card: string): Shown {
  const controls = html`<input type="hidden" name="card" value="${card}"><button class="primary" name="outcome" value="authenticated">Complete authentication</button><button name="outcome" value="authentication_failed">Fail authentication</button>`
  const text = 'Your bank asks you to confirm that this is you.'
  return {
    title: 'Authentication',
    body: html`<section><h1>Authentication</h1><p>${text}</p>${form(address(session), token, controls, 'Authentication')}</section>`,
  }
}

const refusedCards: Record<string, string> = {
  decline: 'pm_card_chargeDeclined',
  insufficient_funds: 'pm_card_chargeDeclinedInsufficientFunds',
}

/** Carries out the chosen outcome. A declined payment shows the page again with the reason; the session stays open. */
export async function actOnCheckout(
  tx: Session,
  session: CheckoutSession,
  token: string,
  given: Fields,
): Promise<Outcome> {
  if (session.status !== 'open') return showClosed(session)
  const outcome = String(given.outcome)
  if (outcome === 'abandon') return { redirect: back(session, session.cancel_url ?? session.success_url) }
  if (outcome === 'expire') return showClosed((await expireSession(tx, session)) as CheckoutSession)
  try {
    await enterDetails(tx, session, given)
  } catch (error) {
    if (!(error instanceof StripeError)) throw error
    return showCheckout(tx, session, token, error.message)
  }
  if (outcome === 'details') return showCheckout(tx, session, token, null)
  if (outcome === 'authentication_failed')
    return showCheckout(
      tx,
      session,
      token,
      'We are unable to authenticate your payment method. Please choose a different payment method and try again.',
    )
  const card =
    outcome === 'authenticate'
      ? 'pm_card_authenticationRequired'
      : (refusedCards[outcome] ?? String(given.card ?? 'pm_card_visa'))
  const needsAuthentication = card === 'pm_card_authenticationRequired' && outcome !== 'authenticated'
  if (needsCard(session) && needsAuthentication) return challenge(session, token, card)
  const known = ['pay', 'authenticated', ...Object.keys(refusedCards)].includes(outcome)
  if (!known) return showCheckout(tx, session, token, 'Choose one of the outcomes below.')
  await tx.client.query('savepoint checkout')
  try {
    const method: PaymentMethod | null = needsCard(session) ? await paymentMethod(tx, card) : null
    await completeSession(tx, session, method, outcome === 'authenticated')
    return { redirect: back(session, session.success_url) }
  } catch (error) {
    if (!(error instanceof StripeError)) throw error
    if (!error.keep) await tx.client.query('rollback to savepoint checkout')
    const kept = await tx.get<CheckoutSession>('checkout.session', session.id)
    return showCheckout(tx, kept, token, error.message)
  }
}
