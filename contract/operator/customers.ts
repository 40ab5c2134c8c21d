import { z } from 'zod'

const time = z.iso.datetime()

/** deleted: only bookkeeping is left. deleting: its owner asked for it. no_plan: signed up, nothing chosen. */
export const customerStates = ['active', 'trial', 'past_due', 'no_plan', 'suspended', 'deleting', 'deleted'] as const
export const customerState = z.enum(customerStates)
export type CustomerState = z.output<typeof customerState>

/** canceling: active until its period ends. Others are the payment provider's, such as `incomplete`. */
const planState = z.string().nullable()

const customerBase = z.object({
  id: z.uuid(),
  name: z.string(),
  owner_email: z.string().nullable(),
  /** A person's own workspace, which goes with them. */
  personal: z.boolean(),
  /** The plan in force, the paid one first. */
  plan: z.string().nullable(),
  plan_state: planState,
  state: customerState,
  balance: z.int(),
  unlimited: z.boolean(),
  created_at: time,
})

export const customerLine = customerBase.extend({
  /** Credits and pay-as-you-go units of the last 30 UTC days, today included. */
  burned_30_days: z.int(),
  /** Of paid invoices of the same days, before refunds, by currency; in minor units. */
  paid_30_days: z.array(z.object({ currency: z.string(), cents: z.int() })),
  /** The UTC day of the last answered call. */
  last_call_day: z.iso.date().nullable(),
})
export type CustomerLine = z.output<typeof customerLine>

export const customerFilter = z.object({
  plan: z.string().max(200).optional(),
  state: customerState.exclude(['deleted']).optional(),
  /** Created in the last days. */
  new: z.enum(['1d', '7d', '30d']).optional(),
})
export type CustomerFilter = z.output<typeof customerFilter>

/** All customers that match a filter. */
export const customerTotals = z.object({
  /** Null: more than 10,000. */
  customers: z.int().nullable(),
  /** Credits that they can spend, without those of unlimited plans; null: more than 10,000 customers match. */
  balance: z.int().nullable(),
  /** As of each customer, by currency; null: more than 10,000 customers match, or the role may not read finance. */
  paid_30_days: z.array(z.object({ currency: z.string(), cents: z.int() })).nullable(),
})

/** One customer, as every tab of its page shows it. */
export const customer = customerBase.extend({
  suspended_at: time.nullable(),
  members: z.int(),
  /** Of the account itself; null: that of the plan; 0: no limit. */
  rate_limit_per_minute: z.int().nullable(),
  /** When it is deleted; null: nobody asked. */
  deletion_due_at: time.nullable(),
  payment_customer: z.string().nullable(),
  payg_enabled: z.boolean(),
})

export const creditGrant = z.object({
  id: z.int(),
  kind: z.string(),
  amount: z.int(),
  /** Credits that are not burned. What calls of the last minute spent is not settled yet: see `unsettled`. */
  remaining: z.int(),
  /** Lower burns first; then the earliest expiry. */
  priority: z.int(),
  state: z.enum(['pending', 'live', 'closed']),
  starts_at: time,
  expires_at: time.nullable(),
})

const source = z.object({
  kind: z.string(),
  /** The invoice that paid for it. */
  invoice_id: z.string().nullable(),
  invoice_number: z.string().nullable(),
})

export const ledgerLine = z.object({
  id: z.int(),
  at: time,
  kind: z.enum(['grant', 'debit', 'expiry', 'refund', 'void', 'debt']),
  delta: z.int(),
  grant_id: z.int(),
  source,
})
export type LedgerLine = z.output<typeof ledgerLine>

/** From the customer's audit log, or from the operators' log: then with the reason. */
export const timelineEntry = z.object({
  key: z.string(),
  at: time,
  by: z.string(),
  by_operator: z.boolean(),
  action: z.string(),
  target: z.string().nullable(),
  detail: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
  reason: z.string().nullable(),
})

export const customerOverview = z.object({
  grants: z.array(creditGrant),
  /** Spent, not yet taken from the grants. */
  unsettled: z.int(),
  /** Of the last 30 UTC days, oldest first, days without calls included. */
  days: z.array(z.object({ day: z.iso.date(), success: z.int(), failed: z.int(), refused: z.int(), credits: z.int() })),
  ledger: z.array(ledgerLine),
  timeline: z.array(timelineEntry),
})

export const customerKey = z.object({
  id: z.uuid(),
  name: z.string(),
  /** The prefix and dots. The console never has a whole key. */
  masked: z.string(),
  created_at: time,
  created_by: z.string().nullable(),
  expires_at: time.nullable(),
  deleted_at: time.nullable(),
  calls: z.int(),
  last_used_at: time.nullable(),
  last_used_client: z.string().nullable(),
  rate_limit_per_minute: z.int().nullable(),
  monthly_budget: z.int().nullable(),
  budget_left: z.int().nullable(),
  allowed_networks: z.array(z.string()).nullable(),
})

export const customerInvoice = z.object({
  id: z.string(),
  number: z.string().nullable(),
  status: z.string(),
  created_at: time,
  about: z.string().nullable(),
  currency: z.string(),
  amount_cents: z.int(),
  paid_cents: z.int(),
  /** Refunded, or held by a dispute that is open or lost. */
  reversed_cents: z.int(),
  /** The dispute's state at the payment provider. */
  dispute: z.string().nullable(),
})

export const customerPeople = z.object({
  people: z.array(
    z.object({
      name: z.string().nullable(),
      email: z.string(),
      role: z.string(),
      joined_at: time,
      last_seen_on: z.iso.date().nullable(),
      deletion_due_at: time.nullable(),
    }),
  ),
  invitations: z.array(z.object({ email: z.string(), role: z.string(), sent_at: time, expires_at: time })),
})

export const customerLimits = z.object({
  rate_limit_per_minute: z.int().nullable(),
  plan_rate_limit_per_minute: z.int().nullable(),
  /** Percent of the period's credits; 0: off. */
  alert_threshold: z.int(),
  spend_cap_cents: z.int().nullable(),
  /** Of both limits. */
  currency: z.string(),
  payg_enabled: z.boolean(),
  payg_left: z.int(),
  payg_used: z.int(),
  auto_topup: z
    .object({
      enabled: z.boolean(),
      threshold: z.int(),
      packs: z.int(),
      monthly_cap_cents: z.int().nullable(),
      failures: z.int(),
      suspended_reason: z.string().nullable(),
    })
    .nullable(),
})

export const customerWebhooks = z.object({
  /** Without path and query, which may hold a secret of the customer's. */
  origin: z.string().nullable(),
  deliveries: z.array(
    z.object({
      id: z.uuid(),
      state: z.enum(['delivered', 'waiting', 'failing', 'given_up']),
      attempts: z.int(),
      /** Of the next attempt, or when it ended. */
      at: time,
      error: z.string().nullable(),
    }),
  ),
})
