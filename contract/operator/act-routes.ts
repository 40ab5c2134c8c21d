import { z } from 'zod'
import { act, anyRole, operatorRoute, ownerOnly } from './route.ts'

const params = z.object({ id: z.uuid() })
const done = z.object({ done: z.literal(true) })
const credits = z.int().min(1).max(1_000_000_000)
const supporters = ['owner', 'support'] as const
const helpers = ['owner', 'support', 'finance'] as const
const conflicts = ['invalid_parameter', 'forbidden', 'second_factor_required', 'not_found', 'conflict'] as const

export const accountNote = z.object({ id: z.int(), at: z.iso.datetime(), operator: z.string(), note: z.string() })

/** What the forms of acts need to say their effect before it happens. */
export const actState = z.object({
  id: z.uuid(),
  name: z.string(),
  owner_email: z.string().nullable(),
  suspended_at: z.iso.datetime().nullable(),
  deletion_due_at: z.iso.datetime().nullable(),
  balance: z.int(),
  /** Of the balance, what nobody paid for: all that can be taken back without a refund. */
  unpaid_credits: z.int(),
  rate_limit_per_minute: z.int().nullable(),
  /** Requests per minute that the plan gives. */
  plan_rate_limit_per_minute: z.int().nullable(),
  members: z.array(z.object({ user_id: z.uuid(), email: z.string(), role: z.string(), confirmed: z.boolean() })),
  invitations: z.array(z.object({ id: z.uuid(), email: z.string(), expired: z.boolean() })),
  plans: z.array(z.object({ price_id: z.string(), name: z.string(), interval: z.string(), credits: z.int() })),
  notes: z.array(accountNote),
})

const moneyMovers = ['owner', 'finance'] as const
const refundState = z.enum(['unsent', 'pending', 'succeeded', 'failed'])
const refundParams = params.extend({ refund: z.uuid() })
const sent = z.object({ state: refundState })

/** The money and the credits of a paid invoice, and what a refund of `cents` would do. */
export const refundPreview = z.object({
  paid_cents: z.int(),
  refunded_cents: z.int(),
  granted: z.int(),
  left: z.int(),
  burned: z.int(),
  /** The money of the credits that are left, rounded down. */
  unburned_cents: z.int(),
  /** As asked, but at most what is left of the payment; by default the money of the unburned part. */
  cents: z.int(),
  /** Credits that it takes back. */
  taken: z.int(),
  /** Burned credits that the customer keeps although their money goes back. */
  kept: z.int(),
})

export const refundList = z.object({
  invoices: z.array(
    z.object({
      id: z.string(),
      number: z.string().nullable(),
      created_at: z.iso.datetime(),
      currency: z.string(),
      paid_cents: z.int(),
      refunded_cents: z.int(),
    }),
  ),
  refunds: z.array(
    z.object({
      id: z.uuid(),
      invoice_id: z.string(),
      invoice_number: z.string().nullable(),
      at: z.iso.datetime(),
      operator: z.string(),
      currency: z.string(),
      cents: z.int(),
      state: refundState,
      error: z.string().nullable(),
    }),
  ),
})

const onCustomer = <
  const P extends string,
  const R extends readonly ('owner' | 'support' | 'finance')[],
  B extends z.ZodRawShape,
>(
  path: P,
  roles: R,
  summary: string,
  body: B,
) =>
  operatorRoute({
    method: 'POST',
    path: `/operator/api/customers/{id}/${path}`,
    roles,
    fresh: true,
    summary,
    params,
    body: act.extend(body),
    status: 200,
    data: done,
    errors: conflicts,
  })

/** What operators do to a customer. `{id}`: the account's public id. Each act is refused while the account is being deleted, unless it says so. */
export const actRoutes = {
  readActState: operatorRoute({
    method: 'GET',
    path: '/operator/api/customers/{id}/acts',
    roles: anyRole,
    summary: 'What acts on a customer start from, with the notes about them',
    params,
    status: 200,
    data: actState,
    errors: ['invalid_parameter', 'not_found'],
  }),
  grantCredits: onCustomer('grants', helpers, 'Grants credits that never expire', { credits }),
  takeBackCredits: onCustomer('take-backs', helpers, 'Takes back credits that nobody paid for', { credits }),
  suspendCustomer: onCustomer('suspend', supporters, 'Refuses the calls of a customer', {}),
  resumeCustomer: onCustomer('resume', supporters, 'Ends a suspension', {}),
  setCustomerLimits: onCustomer('limits', supporters, 'Sets the requests per minute', {
    /** 0: no limit; null: the limit of the plan. */
    requests_per_minute: z.int().min(0).max(1_000_000).nullable(),
  }),
  endCustomerSessions: onCustomer('end-sessions', helpers, 'Signs out all members; also while it is being deleted', {}),
  addCustomerNote: operatorRoute({
    method: 'POST',
    path: '/operator/api/customers/{id}/notes',
    roles: helpers,
    summary: 'Adds a note; also while the account is being deleted',
    params,
    body: act.extend({ note: z.string().trim().min(1).max(4_000) }),
    status: 200,
    data: done,
    errors: conflicts,
  }),
  setCustomerPlan: onCustomer('plan', ownerOnly, 'Puts a customer on a plan without payment', {
    /** The name of a plan, which means its monthly price, or the id of a price. */
    plan: z.string().trim().min(1).max(200),
  }),
  resendInvitation: operatorRoute({
    method: 'POST',
    path: '/operator/api/customers/{id}/invitations/{invitation}/resend',
    roles: helpers,
    summary: 'Mails an open invitation again with a new link; the earlier link stops working',
    params: params.extend({ invitation: z.uuid() }),
    body: act,
    status: 200,
    data: done,
    errors: [...conflicts, 'rate_limited'],
  }),
  resendVerification: operatorRoute({
    method: 'POST',
    path: '/operator/api/customers/{id}/members/{member}/verification',
    roles: helpers,
    summary: 'Mails a member a new code and link to confirm their address',
    params: params.extend({ member: z.uuid() }),
    body: act,
    status: 200,
    data: done,
    errors: [...conflicts, 'rate_limited'],
  }),
  exportCustomer: onCustomer(
    'export',
    ownerOnly,
    "Exports the data of a customer's owner, who downloads it after signing in; also while it is being deleted",
    {},
  ),
  deleteCustomer: operatorRoute({
    method: 'POST',
    path: '/operator/api/customers/{id}/delete',
    roles: ownerOnly,
    fresh: true,
    summary:
      'Deletes the owner of a customer with all their workspaces: keys and plans end at once, data is erased after 14 days',
    params,
    body: act.extend({
      /** The address of the owner, as a confirmation. */
      owner_email: z.string(),
    }),
    status: 200,
    data: done,
    errors: [...conflicts, 'billing_unavailable'],
  }),
  viewAs: operatorRoute({
    method: 'POST',
    path: '/operator/api/customers/{id}/views',
    roles: supporters,
    fresh: true,
    summary: "Starts a view of the customer's dashboard: read only, fifteen minutes, told to its owner",
    params,
    body: act,
    status: 200,
    data: z.object({ token: z.string(), expires_at: z.iso.datetime(), user_id: z.uuid(), owner_email: z.string() }),
    errors: conflicts,
  }),
  listRefunds: operatorRoute({
    method: 'GET',
    path: '/operator/api/customers/{id}/refunds',
    roles: anyRole,
    summary: 'Paid invoices of a customer, and the refunds that operators asked for',
    params,
    status: 200,
    data: refundList,
    errors: ['invalid_parameter', 'not_found'],
  }),
  previewRefund: operatorRoute({
    method: 'GET',
    path: '/operator/api/customers/{id}/invoices/{invoice}/refund',
    roles: moneyMovers,
    summary: 'The money and the credits of an invoice, for a refund',
    params: params.extend({ invoice: z.string().min(1).max(255) }),
    query: z.object({ cents: z.coerce.number().int().min(1).max(100_000_000).optional() }),
    status: 200,
    data: refundPreview,
    errors: ['invalid_parameter', 'forbidden', 'not_found'],
  }),
  refundInvoice: operatorRoute({
    method: 'POST',
    path: '/operator/api/customers/{id}/refunds',
    roles: moneyMovers,
    fresh: true,
    summary: 'Refunds an invoice, in whole or in part; also while the account is being deleted, and after',
    params,
    body: act.extend({
      invoice: z.string().min(1).max(255),
      cents: z.int().min(1).max(100_000_000),
      /** The most burned credits that the customer may keep although their money goes back. */
      keeps_credits: z.int().min(0).default(0),
      /** What had been refunded of the invoice as the form showed it. Another refund meanwhile makes this one a conflict. */
      refunded_cents: z.int().min(0).optional(),
    }),
    status: 200,
    data: sent,
    errors: [...conflicts, 'billing_unavailable'],
  }),
  sendRefundAgain: operatorRoute({
    method: 'POST',
    path: '/operator/api/customers/{id}/refunds/{refund}/send',
    roles: moneyMovers,
    fresh: true,
    summary: 'Sends a refund again that the payment provider has not answered: it stays one refund',
    params: refundParams,
    body: act,
    status: 200,
    data: sent,
    errors: [...conflicts, 'billing_unavailable'],
  }),
}
