import { z } from 'zod'
import { anyRole, type OperatorRole, operatorRoute } from './route.ts'

const financeRoles = ['owner', 'finance'] as const satisfies readonly OperatorRole[]

const month = z.string().regex(/^20\d\d-(0[1-9]|1[0-2])$/, 'Give a month such as 2026-11.')
/** A UTC day such as 2026-11-27. */
const day = z.iso.date()
const askedDay = day.regex(/^20/, 'Give a day from 2000 to 2099.')
/** Where credits or money belong: a plan's price, packs, pay-as-you-go, corrections; or free credits by kind. */
const source = { source: z.string(), label: z.string() }
/** Minor units of a currency, such as cents. */
const money = z.object({ currency: z.string(), cents: z.int() })
/** Sums are complete until then; null: there is nothing yet. */
const until = { until: z.iso.datetime().nullable() }

const calls = z.object({
  /** In this UTC day, by now. */
  today: z.int(),
  /** Of these, until the start of the current hour; and yesterday until the same hour. */
  closed: z.int(),
  yesterday: z.int(),
})

export const todayFigures = z.object({
  at: z.iso.datetime(),
  /** The start of the current UTC hour: what is compared with yesterday ends there. */
  hour: z.iso.datetime(),
  ...until,
  rate: z.object({
    /** Answered calls a second since the page's earlier requests, over a minute at most; null: no earlier request. */
    now: z.number().nullable(),
    /** The mean of this hour yesterday. */
    yesterday: z.number(),
  }),
  calls,
  refused: calls,
  failed: calls,
  /** Null for roles that may not read finance. */
  received: z.array(money.extend({ yesterday_cents: z.int() })).nullable(),
  credits: z.object({
    sold: z.int(),
    granted: z.int(),
    burned: z.int(),
    expired: z.int(),
    outstanding: z.int(),
    /** Of the outstanding ones, those that were paid for. */
    outstanding_paid: z.int(),
    /** Null for roles that may not read finance. */
    liability: z.array(money).nullable(),
  }),
  customers: z.object({
    new_today: z.int(),
    new_yesterday: z.int(),
    active_today: z.int(),
    active_yesterday: z.int(),
    active_30: z.int(),
  }),
})

export const todayLists = z.object({
  ...until,
  hours: z.array(
    z.object({ hour: z.iso.datetime(), success: z.int(), failed: z.int(), refused: z.int(), credits: z.int() }),
  ),
  days: z.array(z.object({ day, sold: z.int(), granted: z.int(), burned: z.int(), expired: z.int() })),
  /** Null for roles that may not read finance. */
  receipts: z.array(z.object({ day, currency: z.string(), cents: z.int() })).nullable(),
  funnel: z.array(z.object({ day, signed_up: z.int(), called: z.int(), paid: z.int() })),
  tools: z.array(
    z.object({
      name: z.string(),
      calls: z.int(),
      failed: z.int(),
      credits: z.int(),
      /** The upper end of the histogram's bucket that holds it. */
      p95_ms: z.int(),
    }),
  ),
  customers: z.array(z.object({ id: z.uuid(), name: z.string(), calls: z.int(), failed: z.int(), credits: z.int() })),
})

const revenueRow = z.object({
  month,
  currency: z.string(),
  ...source,
  received: z.int(),
  refunded: z.int(),
  disputed: z.int(),
  net: z.int(),
})

const creditsRow = z.object({
  ...source,
  currency: z.string(),
  opening: z.int(),
  granted: z.int(),
  burned: z.int(),
  repaid: z.int(),
  expired: z.int(),
  taken_back: z.int(),
  closing: z.int(),
})
const moneyRow = z.object({
  ...source,
  currency: z.string(),
  opening: z.int(),
  sold: z.int(),
  earned: z.int(),
  lapsed: z.int(),
  returned: z.int(),
  forfeited: z.int(),
  closing: z.int(),
})

export const returnEntry = z.object({
  id: z.int(),
  at: z.iso.datetime(),
  account_id: z.uuid(),
  account_name: z.string(),
  cause: z.enum(['refund', 'dispute']),
  /** The latest state of the charge's dispute, as the payment provider names it. */
  dispute: z.string().nullable(),
  charge_id: z.string(),
  ...source,
  currency: z.string(),
  /** Above 0: went back to the customer; below: came back, as after a won dispute. */
  cents: z.int(),
  /** Of the charge, by now: credits taken back, and credits that had been used before. */
  credits_taken_back: z.int(),
  credits_used: z.int(),
})

/** Amounts in minor units. Collected minus returned, of all rows of a currency, is what the ledger of money has of tax. */
const taxRow = z.object({
  currency: z.string(),
  /** ISO code of two letters. Null: not known, or no tax was computed. */
  country: z.string().nullable(),
  state: z.string().nullable(),
  /** The tax and its percentage, as on the invoice. Null: no tax was computed. */
  label: z.string().nullable(),
  percent: z.number().nullable(),
  /** As the payment provider names it: standard_rated, reverse_charge, not_collecting ... Null: it gives none. */
  reason: z.string().nullable(),
  /** Sold without tax, and what of it went back to customers. A sale with two taxes is in two rows. */
  net: z.int(),
  net_returned: z.int(),
  collected: z.int(),
  returned: z.int(),
})

/** Today and finance. Figures are integers by currency and UTC day, from sums. */
export const figuresRoutes = {
  getToday: operatorRoute({
    method: 'GET',
    path: '/operator/api/today',
    roles: anyRole,
    summary: 'The figures of today, with those of yesterday',
    status: 200,
    data: todayFigures,
    errors: [],
  }),
  getTodayLists: operatorRoute({
    method: 'GET',
    path: '/operator/api/today/lists',
    roles: anyRole,
    summary: 'Calls by hour, credits and receipts by day, the funnel, top tools and customers',
    status: 200,
    data: todayLists,
    errors: [],
  }),
  getRevenue: operatorRoute({
    method: 'GET',
    path: '/operator/api/finance/revenue',
    roles: financeRoles,
    summary: 'Receipts net of refunds and disputes, by UTC month, currency and source',
    query: z.object({ months: z.coerce.number().int().min(1).max(60).default(12) }),
    status: 200,
    data: z.object({ ...until, rows: z.array(revenueRow) }),
    errors: ['invalid_parameter', 'forbidden'],
  }),
  getRecurring: operatorRoute({
    method: 'GET',
    path: '/operator/api/finance/recurring',
    roles: financeRoles,
    summary: 'Monthly recurring revenue, now and at the end of each month',
    status: 200,
    data: z.object({
      /** The last UTC day that has ended since the figures began; null: none yet. */
      day: day.nullable(),
      /** mrr and arr: minor units, rounded down once for a currency. */
      now: z.array(z.object({ currency: z.string(), mrr: z.int(), arr: z.int(), subscriptions: z.int() })),
      /** All of it in one currency by ECB reference rates; null: one currency, or a rate is missing. */
      converted: z
        .object({
          currency: z.string(),
          mrr: z.int(),
          /** Units of a currency for one euro, and the day that they are of. */
          rates: z.array(z.object({ currency: z.string(), rate: z.number(), day })),
        })
        .nullable(),
      plans: z.array(z.object({ ...source, currency: z.string(), subscriptions: z.int(), mrr: z.int() })),
      months: z.array(z.object({ month, day, currency: z.string(), mrr: z.int(), subscriptions: z.int() })),
    }),
    errors: ['forbidden'],
  }),
  getCredits: operatorRoute({
    method: 'GET',
    path: '/operator/api/finance/credits',
    roles: financeRoles,
    summary: 'How the credits of a month, and the money owed in them, came from opening to closing',
    query: z.object({ month: month.optional() }),
    status: 200,
    data: z.object({ ...until, month, credits: z.array(creditsRow), money: z.array(moneyRow) }),
    errors: ['invalid_parameter', 'forbidden'],
  }),
  getLiability: operatorRoute({
    method: 'GET',
    path: '/operator/api/finance/liability',
    roles: financeRoles,
    summary: 'Credits outstanding at the end of a UTC day, and the money owed in them',
    query: z.object({ day: askedDay.optional() }),
    status: 200,
    data: z.object({
      ...until,
      day,
      rows: z.array(z.object({ ...source, currency: z.string(), credits: z.int(), cents: z.int() })),
      /** Paid for months of a year whose credits are not granted yet: not in the liability. */
      prepaid: z.array(money),
      days: z.array(z.object({ day, currency: z.string(), cents: z.int() })),
    }),
    errors: ['invalid_parameter', 'forbidden'],
  }),
  listReturns: operatorRoute({
    method: 'GET',
    path: '/operator/api/finance/refunds',
    roles: financeRoles,
    summary: 'Refunds and disputes, newest first',
    query: z.object({ before: z.coerce.number().int().positive().optional() }),
    status: 200,
    data: z.object({ entries: z.array(returnEntry), next: z.int().nullable() }),
    errors: ['invalid_parameter', 'forbidden'],
  }),
  getJournal: operatorRoute({
    method: 'GET',
    path: '/operator/api/finance/journal',
    roles: financeRoles,
    summary: 'The double-entry journal of a UTC month, by day and currency',
    query: z.object({ month: month.optional() }),
    status: 200,
    data: z.object({
      ...until,
      month,
      /** Minor units. A line has a debit or a credit. */
      lines: z.array(z.object({ day, currency: z.string(), account: z.string(), debit: z.int(), credit: z.int() })),
      accounts: z.array(z.object({ account: z.string(), meaning: z.string() })),
    }),
    errors: ['invalid_parameter', 'forbidden'],
  }),
  getTaxes: operatorRoute({
    method: 'GET',
    path: '/operator/api/finance/taxes',
    roles: financeRoles,
    summary: 'Taxes collected and returned in a UTC month, by place, rate and reason',
    query: z.object({ month: month.optional() }),
    status: 200,
    data: z.object({ ...until, month, rows: z.array(taxRow) }),
    errors: ['invalid_parameter', 'forbidden'],
  }),
}
