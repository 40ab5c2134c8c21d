import { type Selectable, sql } from 'kysely'
import { formatMoney } from '#contract/currency.ts'
import type { Topups } from '../../../db/schema.gen.ts'
import type { Deps } from '../../../deps.ts'
import { salesAreStopped } from '../../switches/switches.ts'
import { closeTopup } from '../checkout/apply-session.ts'
import { type EventContext, lockCustomer } from '../events/event-context.ts'
import { applyInvoice } from '../invoices/apply-invoice.ts'
import { transactInLease } from '../lease/in-lease.ts'
import { leaseOfCustomer } from '../lease/take-lease.ts'
import { notifyManagers } from '../notify-managers.ts'
import { fetchSavedCard, type SavedCard } from '../stripe/cards.ts'
import type { StripeAccess } from '../stripe/client.ts'
import { fetchTaxCustomer } from '../stripe/tax-customer.ts'
import { findTaxRate, type TaxBehavior } from '../stripe/taxes.ts'
import {
  type ChargeState,
  type OpenedInvoice,
  openTopupInvoice,
  payTopupInvoice,
  readTopupInvoice,
  takeBackTopupInvoice,
  voidOpenInvoice,
} from '../stripe/topup-invoice.ts'
import { hasTaxLocation, readAddress } from '../taxes/account-place.ts'
import { failTopup, suspendTopups } from './fail-topup.ts'
import { isOverCap } from './monthly-cap.ts'
import { creditPack } from './start-topup.ts'

type Needs = Pick<Deps, 'db' | 'log' | 'mail' | 'stripe' | 'secrets' | 'config'>

export interface OpenTopup {
  id: number
  accountId: number
}

/** Time that a customer has to confirm a payment. */
const CONFIRM_HOURS = 24
/** Stripe keeps idempotency keys for a day: after that no request may be repeated, for an invoice neither. */
const ATTEMPT_HOURS = 20

/**
 * Advances an open automatic top-up from its current state: invoice, charge, result. Each step may be repeated; only a
 * paid invoice grants. Throws when Stripe does not answer; the next run resumes it.
 */
export async function chargeTopup(deps: Needs, { id, accountId }: OpenTopup): Promise<void> {
  const { db, stripe } = deps
  if (!stripe) return
  const found = await db.kysely
    .selectFrom('topups as t')
    .innerJoin('billing_customers as b', 'b.account_id', 't.account_id')
    .innerJoin('accounts as a', 'a.id', 't.account_id')
    .selectAll('t')
    .select(['b.id as customerId', 'a.public_id as accountPublicId'])
    .select(sql<number>`extract(epoch from app_now() - t.created_at)::float8 / 3600`.as('ageHours'))
    .where('t.id', '=', id)
    .where('t.status', '=', 'open')
    .executeTakeFirst()
  if (!found) return
  const card = await fetchSavedCard(stripe, found.customerId)
  const mayAttempt = card !== null && found.ageHours < ATTEMPT_HOURS
  // Nothing is asked for while sales are stopped: what was noted before waits.
  const waits = mayAttempt && (await salesAreStopped(db.kysely))
  const refused = { kind: 'declined', code: card ? 'timed_out' : 'no_card' } as const
  // An earlier attempt may have made an invoice whose id never arrived here.
  const refuse = async (code: string) => {
    const paid = await takeBackTopupInvoice(stripe, found)
    const state: ChargeState = paid === null ? { kind: 'declined', code } : { kind: 'paid' }
    return finish(deps, { topup: { ...found, invoice_id: paid }, card, state })
  }
  if (!mayAttempt && found.invoice_id === null) return refuse(refused.code)
  if (waits && found.invoice_id === null) return
  // A server of an older release has noted none.
  const currency = found.currency ?? (await creditPack(db.kysely))?.currency
  if (found.invoice_id === null && currency === undefined) return refuse('no_price')
  const opened =
    found.invoice_id !== null ? { id: found.invoice_id } : await openInvoice(deps, stripe, found, currency!)
  if ('refused' in opened) return refuse(opened.refused)
  const invoiceId = opened.id
  if ('totalCents' in opened && stripe.taxes !== 'off') found.total_cents = opened.totalCents
  let state = await readTopupInvoice(stripe, invoiceId)
  if (state.kind === 'unpaid' && waits) return
  if (state.kind === 'unpaid' && stripe.taxes !== 'off' && (await isOverCap(db.kysely, accountId, currency ?? null))) {
    await voidOpenInvoice(stripe, invoiceId)
    return finish(deps, { topup: { ...found, invoice_id: invoiceId }, card, state: { kind: 'over_cap' } })
  }
  if (state.kind === 'unpaid' && mayAttempt)
    state = await payTopupInvoice(stripe, invoiceId, {
      topupId: id,
      accountPublicId: found.accountPublicId,
      method: card.id,
    })
  else if (state.kind === 'unpaid') state = refused
  if (state.kind === 'action' && found.ageHours >= CONFIRM_HOURS)
    state = { kind: 'declined', code: 'authentication_required' }
  // Void first: an open invoice could be collected later.
  if (state.kind === 'declined') await voidOpenInvoice(stripe, invoiceId)
  await finish(deps, { topup: { ...found, account_id: accountId, invoice_id: invoiceId }, card, state })
}

type Found = Selectable<Topups> & { customerId: string; accountPublicId: string }

async function openInvoice(
  { db }: Needs,
  stripe: StripeAccess,
  topup: Found,
  currency: string,
): Promise<OpenedInvoice> {
  const pack = await creditPack(db.kysely)
  const behavior = (pack?.tax_behavior ?? null) as TaxBehavior | null
  const address = await readAddress(db.kysely, topup.account_id)
  if (stripe.taxes !== 'off') {
    const buyer = await fetchTaxCustomer(stripe, topup.customerId)
    if (!buyer || !hasTaxLocation(stripe, buyer)) return { refused: 'no_location' }
  }
  const opened = await openTopupInvoice(stripe, {
    topupId: topup.id,
    customerId: topup.customerId,
    accountPublicId: topup.accountPublicId,
    cents: topup.cents,
    currency,
    description: `${topup.credits.toLocaleString('en-US')} credits (automatic top-up)`,
    tax: { behavior, code: pack?.tax_code ?? null, rateId: await findTaxRate(stripe, address, behavior) },
  })
  if ('refused' in opened) return opened
  await db.kysely
    .updateTable('topups')
    .set({ invoice_id: opened.id, ...(stripe.taxes !== 'off' && { total_cents: opened.totalCents }) })
    .where('id', '=', topup.id)
    .execute()
  return opened
}

interface Ending {
  topup: Found
  card: SavedCard | null
  state: ChargeState | { kind: 'over_cap' }
}

async function finish(deps: Needs, { topup, card, state }: Ending): Promise<void> {
  const { db, log, stripe } = deps
  if (!stripe) return
  await transactInLease(db, leaseOfCustomer(topup.customerId), async (tx) => {
    await lockCustomer(tx, topup.customerId)
    const ctx: EventContext = { tx, stripe, log, mail: deps.mail, secrets: deps.secrets, config: deps.config }
    if (state.kind === 'paid') {
      if (topup.invoice_id) await applyInvoice(ctx, topup.invoice_id)
    } else if (state.kind === 'processing' || state.kind === 'action') {
      const actionUrl = state.kind === 'action' ? state.url : null
      await tx
        .updateTable('topups')
        .set({ phase: state.kind, action_url: actionUrl })
        .where('id', '=', topup.id)
        .execute()
      if (state.kind === 'action') await askForConfirmation(ctx, topup, card, actionUrl)
    } else if (state.kind === 'over_cap') {
      // The next run knows the tax, and buys fewer packs if that is enough.
      await closeTopup(ctx, topup.account_id, topup.id, 'failed')
    } else if (state.kind === 'void' || state.kind === 'declined') {
      await failTopup(ctx, topup, { code: 'code' in state ? state.code : state.kind, card })
    }
  })
}

async function askForConfirmation(
  ctx: EventContext,
  topup: Found,
  card: SavedCard | null,
  url: string | null,
): Promise<void> {
  const { account_id: accountId } = topup
  await suspendTopups(ctx.tx, accountId, 'authentication_required', card)
  await notifyManagers(ctx.tx, ctx, {
    accountId,
    kind: 'auto_topup.action',
    ref: String(topup.id),
    subject: 'Confirm your top-up',
    content: {
      heading: 'Your bank asks you to confirm a top-up',
      paragraphs: [
        'An automatic top-up is waiting: your bank wants you to confirm the payment.',
        ...(topup.total_cents !== null && topup.currency !== null
          ? [`It costs ${formatMoney(topup.total_cents, topup.currency, true)}, including tax.`]
          : []),
        'Automatic top-ups are paused until you do. If you do not confirm within 24 hours, nothing is charged.',
      ],
      ...(url && { action: { label: 'Confirm the payment', url } }),
    },
  })
}
