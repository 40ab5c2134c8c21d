import { sql } from 'kysely'
import Stripe from 'stripe'
import type { Database, Queryable } from '../../db/database.ts'
import type { StripeAccess } from '../../features/billing/stripe/client.ts'
import type { Report } from './report.ts'

/** Whether everything that the taxes of sales need is there. Where something is missing, the payment provider sells without tax and says nothing. */
export async function checkTaxes(
  { stripe, db }: { stripe: StripeAccess | null; db: Database },
  report: Report,
): Promise<void> {
  if (!stripe || stripe.taxes === 'off') return
  try {
    const problems = stripe.taxes === 'stripe' ? await stripeTaxProblems(stripe, db) : await rateProblems(stripe, db)
    for (const problem of [...problems, ...(await ownNumberProblems(stripe, db)), ...(await addressProblems(db))])
      report.wrong(problem)
    if (problems.length === 0) report.ok('taxes are set up at Stripe')
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error
    report.wrong(
      error instanceof Stripe.errors.StripePermissionError
        ? 'STRIPE_SECRET_KEY may not read the tax settings: see docs/operations/taxes.md for what it needs.'
        : `Stripe does not say how taxes are set up (${error.code ?? error.type}).`,
    )
  }
}

async function stripeTaxProblems({ client }: StripeAccess, { kysely }: Database): Promise<string[]> {
  const settings = await client.tax.settings.retrieve()
  const registrations = await client.tax.registrations.list({ status: 'active', limit: 1 })
  const unsaid = (await pricesOnSale(kysely)).filter(({ tax_behavior }) => tax_behavior === null)
  const missing = settings.status_details.pending?.missing_fields ?? []
  return [
    ...(settings.head_office === null || missing.includes('head_office')
      ? [
          'Stripe Tax does not know the address of your business, and computes no tax. Add it in the tax settings at Stripe.',
        ]
      : []),
    ...missing
      .filter((field) => field !== 'head_office')
      .map((field) => `Stripe Tax lacks ${field}. Add it in the tax settings at Stripe.`),
    ...(registrations.data.length === 0
      ? ['Stripe Tax has no active registration, and adds no tax anywhere. Add where you are registered at Stripe.']
      : []),
    ...(settings.defaults.tax_behavior === null && unsaid.length > 0
      ? [
          `These prices do not say whether tax is included: ${unsaid.map(({ name }) => name).join(', ')}. Run npm run billing -- seed, or publish the product with its tax in the console.`,
        ]
      : []),
  ]
}

const pricesOnSale = (db: Queryable) =>
  db
    .selectFrom('plans')
    .select(['name', 'tax_behavior'])
    .where('active', '=', true)
    .where('type', '=', 'paid')
    .union(db.selectFrom('credit_packs').select(['name', 'tax_behavior']).where('active', '=', true))
    .orderBy('name')
    .execute()

async function rateProblems({ client }: StripeAccess, { kysely }: Database): Promise<string[]> {
  const seen = new Map<string, number>()
  const kinds = new Set<boolean>()
  for await (const { country, state, inclusive } of client.taxRates.list({ active: true, limit: 100 })) {
    const place = [country, state].filter(Boolean).join('-')
    const key = `${place} ${inclusive ? '(included in prices)' : '(added to prices)'}`
    if (place) kinds.add(inclusive)
    if (place) seen.set(key, (seen.get(key) ?? 0) + 1)
  }
  if (seen.size === 0)
    return [
      'No active tax rate at Stripe names a country, so no tax is added. Add a rate for each country, or set TAXES=off.',
    ]
  const without = (await pricesOnSale(kysely)).filter(({ tax_behavior }) => !kinds.has(tax_behavior === 'inclusive'))
  return [
    ...[...seen]
      .filter(([, count]) => count > 1)
      .map(
        ([key, count]) =>
          `${count} active tax rates are for ${key}. One of them is used. Archive the others at Stripe.`,
      ),
    ...(without.length === 0
      ? []
      : [
          `These prices have no tax in any country: ${without.map(({ name }) => name).join(', ')}. No active tax rate at Stripe is ${kinds.has(true) ? 'exclusive' : 'inclusive'}, as they are.`,
        ]),
  ]
}

/** Stripe puts the default numbers of the account on each invoice when it is finalized; the newest reverse charge shows whether there is one. */
async function ownNumberProblems({ client }: StripeAccess, { kysely }: Database): Promise<string[]> {
  const newest = await kysely
    .selectFrom('invoices')
    .select(['id', 'number'])
    .where('status', 'in', ['open', 'paid'])
    .where(sql<boolean>`taxes @> '[{"reason": "reverse_charge"}]'`)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (!newest || (await client.invoices.retrieve(newest.id)).account_tax_ids?.length) return []
  return [
    `Invoice ${newest.number} has reverse charge, but not your own tax ID. At Stripe, add it under Settings, Billing, Invoices, and make it the default.`,
  ]
}

/** Paying customers whose tax cannot be computed. */
async function addressProblems({ kysely }: Database): Promise<string[]> {
  const { rows } = await sql<{ n: number; names: string }>`
    select count(*)::int as n, string_agg(name, ', ') as names from (
      select a.name from subscriptions s join plans p using (price_id) join accounts a on a.id = s.account_id
        join billing_customers b on b.account_id = s.account_id
      where s.source = 'stripe' and s.ended_at is null and p.type = 'paid'
        and (b.address is null or b.tax_location = 'unrecognized_location')
      order by a.name limit 5) found`.execute(kysely)
  const { n, names } = rows[0]!
  if (n === 0) return []
  return [
    `Paying customers have no billing address that a tax can be computed for: ${names}${n === 5 ? ', and perhaps more' : ''}. Ask them to add it under Billing.`,
  ]
}
