import { type RawBuilder, sql } from 'kysely'
import { formatMoney, stablecoin } from '#contract/currency.ts'
import type { SearchHit } from '#contract/operator/customer-routes.ts'
import { readTerm, type SearchTerm, type TermKind } from '#contract/operator/search-term.ts'
import type { Queryable } from '../../../db/database.ts'
import type { Deps } from '../../../deps.ts'
import { decodeReceiptId } from '../../metering/receipt-id.ts'
import { askProvider } from './ask-provider.ts'

const MOST = 10

/** An account with what the term found in it. */
interface Found {
  account: number
  /** Why it was found, if not by its name or address. */
  note: string | null
  exact: boolean
}

/**
 * At most ten hits for a term, the exact one first. Asks the one index that the kind of term has; what looks like a domain, an
 * invoice number or an address and is none is searched as a name. Throws billing_unavailable when only the provider could tell.
 */
export async function search(
  deps: Pick<Deps, 'db' | 'stripe' | 'log'>,
  text: string,
): Promise<{ kind: TermKind; hits: SearchHit[] }> {
  const term = readTerm(text)
  if (!term) return { kind: 'name', hits: [] }
  const db = deps.db.kysely
  let hits = await hitsOf(db, term)
  const customer = hits.length === 0 && (await askProvider(deps, term.kind, term.value))
  if (customer) hits = await hitsOf(db, { kind: 'payment_customer', value: customer })
  const other = ['email', 'domain', 'invoice_number'].includes(term.kind) && hits.length === 0
  return other
    ? { kind: 'name', hits: await hitsOf(db, { kind: 'name', value: term.value }) }
    : { kind: term.kind, hits }
}

async function hitsOf(db: Queryable, term: SearchTerm): Promise<SearchHit[]> {
  if (term.kind === 'receipt') return receiptHit(term.value)
  if (term.kind === 'transaction') return paymentHits(db, sql`reference = ${term.value}`)
  if (term.kind === 'payer') return paymentHits(db, sql`payer = ${term.value}`)
  const { rows } = await queries[term.kind](term.value).execute(db)
  const once = rows.filter((row, index) => rows.findIndex(({ account }) => account === row.account) === index)
  return present(db, once.slice(0, MOST), term.kind === 'invoice_number' || term.kind === 'invoice')
}

/** The page says whether a call has it: finding one takes longer than a search may. */
const receiptHit = (id: string): SearchHit[] =>
  decodeReceiptId(id) ? [{ to: 'receipt', id, title: 'Receipt', detail: id, exact: true }] : []

/** Payments of agents, newest first. */
async function paymentHits(db: Queryable, where: RawBuilder<unknown>): Promise<SearchHit[]> {
  const { rows } = await sql<{ id: string; product: string; state: string; micro: number; at: Date }>`
    select public_id as id, product, state, micro_usd as micro, claimed_at as at from agent_payments p
    where ${where} order by p.id desc limit ${MOST}`.execute(db)
  return rows.map(({ id, product, state, micro, at }) => ({
    to: 'payment',
    id,
    title: `${formatMoney(micro, stablecoin)} for a ${product}`,
    detail: `${state}, ${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`,
    exact: true,
  }))
}

/** SQL: `column` begins with `value`. The operators are those of `text_pattern_ops`, which serve a parameter, too. */
const begins = (column: RawBuilder<unknown>, value: RawBuilder<unknown>) =>
  sql`${column} ~>=~ ${value} and ${column} ~<~ (${value} || chr(1114111))`

const ofOwner = (where: RawBuilder<unknown>, order: RawBuilder<unknown>, exact: RawBuilder<unknown>) => sql<Found>`
  select m.account_id as account, case when m.role = 'owner' then null else m.role || ' ' || p.email end as note, ${exact} as exact
  from (select user_id, email from profiles where ${where} order by ${order} limit ${MOST}) p
  join account_members m using (user_id) order by p.email using ~<~, m.role = 'owner' desc, m.account_id`

const byCustomerOf = (query: RawBuilder<unknown>) => sql<Found>`
  select b.account_id as account, null as note, true as exact from (${query}) f(id) join billing_customers b on b.id = f.id limit ${MOST}`

const byObject = (id: string) =>
  byCustomerOf(sql`select distinct customer_id from stripe_events where object_id = ${id} limit 1`)

const queries: Record<Exclude<TermKind, 'receipt' | 'transaction' | 'payer'>, (value: string) => RawBuilder<Found>> = {
  key: (start) => sql<Found>`
    select account_id as account, 'key ' || name || ', ' || start || '...' || case when deleted_at is null then '' else ', deleted' end as note,
      start = ${start} as exact
    from api_keys where ${begins(sql`start`, sql`${start}::text`)} order by start using ~<~, id limit ${MOST}`,
  id: (id) => sql<Found>`
    select id as account, null as note, true as exact from accounts where public_id = ${id}
    union all select account_id, 'key ' || name, true from api_keys where public_id = ${id}
    union all (select account_id, null, true from account_members where user_id = ${id} order by role = 'owner' desc limit ${MOST})`,
  payment_customer: (id) => byCustomerOf(sql`select ${id}::text`),
  invoice: (id) => sql<Found>`
    select account_id as account, 'invoice ' || coalesce(number, id) as note, true as exact from invoices where id = ${id}`,
  payment: (id) => sql<Found>`
    select account_id as account, 'invoice ' || coalesce(number, id) as note, true as exact from invoices where payment_intent_id = ${id}
    union all select account_id, 'credits bought', true from topups where payment_intent_id = ${id}`,
  charge: (id) => sql<Found>`
    select account_id as account, 'refunded or disputed charge' as note, true as exact from reversals where charge_id = ${id}
    union all (${byObject(id)})`,
  subscription: (id) => sql<Found>`
    select account_id as account, 'plan ' || p.name as note, true as exact from subscriptions s join plans p using (price_id) where s.id = ${id}`,
  refund: byObject,
  event: (id) => byCustomerOf(sql`select customer_id from stripe_events where id = ${id}`),
  email: (value) =>
    ofOwner(
      begins(sql`lower(email)`, sql`lower(${value}::text)`),
      sql`lower(email) using ~<~`,
      sql`lower(p.email) = lower(${value}::text)`,
    ),
  domain: (value) =>
    ofOwner(
      begins(sql`split_part(lower(email), '@', 2)`, sql`lower(${value}::text)`),
      sql`split_part(lower(email), '@', 2) using ~<~`,
      sql`split_part(lower(p.email), '@', 2) = lower(${value}::text)`,
    ),
  invoice_number: (value) => sql<Found>`
    select account_id as account, 'invoice ' || number as note, upper(number) = upper(${value}::text) as exact from invoices
    where ${begins(sql`upper(number)`, sql`upper(${value}::text)`)} order by upper(number) using ~<~ limit ${MOST}`,
  // Personal workspaces are called Personal: their people have the names.
  name: (value) => sql<Found>`
    select account, note, exact from (
      (select id as account, null as note, lower(name) = lower(${value}::text) as exact, lower(name) as found from accounts
        where ${begins(sql`lower(name)`, sql`lower(${value}::text)`)} order by lower(name) using ~<~, id limit ${MOST})
      union all select m.account_id, null, lower(full_name) = lower(${value}::text), lower(full_name) from (select user_id, full_name from profiles
        where ${begins(sql`lower(full_name)`, sql`lower(${value}::text)`)} order by lower(full_name) using ~<~ limit ${MOST}) p
        join account_members m on m.user_id = p.user_id and m.role = 'owner'
      union all select m.account_id, null, false, lower(email) from (select user_id, email from profiles
        where ${begins(sql`lower(email)`, sql`lower(${value}::text)`)} order by lower(email) using ~<~ limit ${MOST}) p
        join account_members m on m.user_id = p.user_id and m.role = 'owner'
    ) f order by exact desc, found using ~<~, account limit ${3 * MOST}`,
}

async function present(db: Queryable, found: Found[], asInvoice: boolean): Promise<SearchHit[]> {
  if (found.length === 0) return []
  const { rows } = await sql<{ number: number; id: string; name: string; owner: string | null; personal: boolean }>`
    select a.id as number, a.public_id as id, a.name, nullif(p.email, '') as owner, a.personal_of is not null as personal from accounts a
    left join account_members m on m.account_id = a.id and m.role = 'owner' left join profiles p using (user_id)
    where a.id = any(${found.map(({ account }) => account)})`.execute(db)
  const named = new Map(rows.map((row) => [row.number, row]))
  return found.flatMap(({ account, note, exact }) => {
    const customer = named.get(account)
    if (!customer) return []
    // Personal workspaces have the same name: their owner tells them apart.
    const [title, other] =
      customer.personal && customer.owner ? [customer.owner, customer.name] : [customer.name, customer.owner]
    const detail = [other, note].filter((part) => part !== null).join(', ')
    return [{ to: asInvoice ? 'invoice' : 'customer', id: customer.id, title, detail, exact }]
  })
}
