import { z } from 'zod'
import { receipt, receiptsQuery } from '../usage.ts'
import {
  customer,
  customerFilter,
  customerInvoice,
  customerKey,
  customerLimits,
  customerLine,
  customerOverview,
  customerPeople,
  customerTotals,
  customerWebhooks,
  ledgerLine,
  timelineEntry,
} from './customers.ts'
import { operatorReceipt } from './receipt.ts'
import { anyRole, type OperatorRoute, operatorRoute, ownerOnly } from './route.ts'

/** Where a hit leads: a customer's page, a receipt, the invoices of a customer, or an agent's payment. */
export const searchHit = z.object({
  to: z.enum(['customer', 'receipt', 'invoice', 'payment']),
  /** Of the customer, the receipt or the payment. */
  id: z.string(),
  title: z.string(),
  detail: z.string(),
  exact: z.boolean(),
})
export type SearchHit = z.output<typeof searchHit>

const params = z.object({ id: z.uuid() })
const cursor = z.object({ before: z.coerce.number().int().positive().optional() })

const ofCustomer = <
  const P extends string,
  D extends z.ZodType,
  Q extends z.ZodObject = z.ZodObject<Record<never, never>>,
>(
  part: P,
  summary: string,
  data: D,
  query?: Q,
) =>
  ({
    method: 'GET',
    path: `/operator/api/customers/{id}${part}`,
    roles: anyRole,
    summary,
    params,
    query: (query ?? z.object({})) as Q,
    status: 200,
    data,
    errors: ['invalid_parameter', 'not_found'],
  }) as const satisfies OperatorRoute

/** Finding and reading customers and their calls. Acts on them are elsewhere. */
export const customerRoutes = {
  search: operatorRoute({
    method: 'GET',
    path: '/operator/api/search',
    roles: anyRole,
    summary: 'Ten hits for a term, the exact one first',
    query: z.object({ q: z.string().max(200) }),
    status: 200,
    /** `kind`: as what the term was searched; `name` when nothing was found as what it looks like. */
    data: z.object({ kind: z.string(), hits: z.array(searchHit) }),
    errors: ['invalid_parameter', 'billing_unavailable'],
  }),
  listCustomers: operatorRoute({
    method: 'GET',
    path: '/operator/api/customers',
    roles: anyRole,
    summary: 'Customers, newest first',
    query: customerFilter.extend(cursor.shape),
    status: 200,
    /** `plans`: the names that a filter can have. */
    data: z.object({ customers: z.array(customerLine), plans: z.array(z.string()), next: z.int().nullable() }),
    errors: ['invalid_parameter'],
  }),
  totalCustomers: operatorRoute({
    method: 'GET',
    path: '/operator/api/customers-totals',
    roles: anyRole,
    summary: 'How many customers match, and their sums, up to 10,000 customers',
    query: customerFilter,
    status: 200,
    data: customerTotals,
    errors: ['invalid_parameter'],
  }),
  customersCsv: operatorRoute({
    method: 'GET',
    path: '/operator/api/customers-csv',
    roles: ownerOnly,
    fresh: true,
    summary: 'The same as CSV, whole: data of people, so each download is in the log',
    query: customerFilter,
    status: 200,
    data: z.unknown(),
    errors: ['invalid_parameter'],
  }),
  getCustomer: ofCustomer('', 'One customer', customer),
  getCustomerOverview: ofCustomer(
    '/overview',
    'Grants, calls of 30 days, the last of ledger and timeline',
    customerOverview,
  ),
  listCustomerLedger: ofCustomer(
    '/ledger',
    'The credit ledger, newest first',
    z.object({ lines: z.array(ledgerLine), next: z.int().nullable() }),
    cursor,
  ),
  listCustomerKeys: ofCustomer('/keys', 'API keys, masked', z.object({ keys: z.array(customerKey) })),
  listCustomerCalls: ofCustomer(
    '/calls',
    'Metered calls, newest first',
    z.object({ receipts: z.array(receipt), nextCursor: z.string().nullable() }),
    receiptsQuery,
  ),
  listCustomerInvoices: ofCustomer(
    '/invoices',
    'Invoices, newest first',
    z.object({ invoices: z.array(customerInvoice), next: z.string().nullable() }),
    z.object({ before: z.string().max(100).optional() }),
  ),
  listCustomerPeople: ofCustomer('/people', 'Members and open invitations', customerPeople),
  getCustomerLimits: ofCustomer('/limits', 'Limits in force', customerLimits),
  getCustomerWebhooks: ofCustomer('/webhooks', 'The alert webhook and its deliveries', customerWebhooks),
  listCustomerTimeline: ofCustomer(
    '/timeline',
    'What the customer and operators did, newest first',
    z.object({ entries: z.array(timelineEntry), next: z.string().nullable() }),
    z.object({
      before: z
        .string()
        .regex(/^\d{1,15}\.\d{1,15}$/, 'must be the next of a previous page')
        .optional(),
    }),
  ),
  getReceipt: operatorRoute({
    method: 'GET',
    path: '/operator/api/receipts/{id}',
    roles: anyRole,
    summary: 'A call with what explains its charge',
    params: z.object({ id: z.string().max(100) }),
    status: 200,
    data: operatorReceipt,
    errors: ['not_found'],
  }),
}
