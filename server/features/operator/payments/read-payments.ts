import { type RawBuilder, sql } from 'kysely'
import type { z } from 'zod'
import { mostCounted } from '#contract/operator/delivery-routes.ts'
import { type PaymentView, type paymentRoutes, paymentViews } from '#contract/operator/payment-routes.ts'
import type { Queryable } from '../../../db/database.ts'
import { AppError } from '../../../http/errors.ts'
import { undecided } from '../../agent-payments/undecided.ts'

type Routes = typeof paymentRoutes
type Listed = z.input<Routes['listPayments']['data']>
type Found = z.input<Routes['getPayment']['data']>

const PAGE = 50

const late = sql`(${sql.raw(undecided)})`
const views: Record<PaymentView, RawBuilder<unknown>> = {
  unknown: sql`(p.state = 'unknown' or ${late})`,
  open: sql`(p.state in ('claimed', 'settling') and not ${late})`,
  settled: sql`p.state = 'settled'`,
  failed: sql`p.state = 'failed'`,
  released: sql`p.state = 'released'`,
}

const columns = sql`p.public_id as id, p.state, p.product, p.claimed_at as at, p.supplier, p.network, p.payer, p.micro_usd, p.credits,
  a.public_id as account_id, a.name as account_name, p.receipt_id, p.reference, p.reason`
const tables = sql`agent_payments p join accounts a on a.id = p.account_id`

type Dated<T> = { [K in keyof T]: K extends 'at' ? Date : T[K] }

/** A page of payments, newest first, and how many there are in each state; `next` is the cursor of the page after. */
export async function pageOfPayments(
  db: Queryable,
  { state, product, payer, before }: z.output<NonNullable<Routes['listPayments']['query']>>,
): Promise<Omit<Listed, 'on'>> {
  const { rows } = await sql<Dated<Listed['payments'][number]> & { place: number }>`
    select p.id as place, ${columns} from ${tables}
    where ${views[state]} and (${product ?? null}::text is null or p.product = ${product ?? null})
      and (${payer ?? null}::text is null or p.payer = ${payer ?? null}) and (${before ?? null}::bigint is null or p.id < ${before ?? null})
    order by p.id desc limit ${PAGE + 1}`.execute(db)
  const page = rows.slice(0, PAGE)
  return {
    counts: await countPayments(db),
    payments: page.map(({ place: _, at, ...row }) => ({ ...row, at: at.toISOString() })),
    next: rows.length > PAGE ? page.at(-1)!.place : null,
  }
}

async function countPayments(db: Queryable): Promise<Listed['counts']> {
  const counted = paymentViews.map(
    (view) => sql`(select count(*)::int from (
      select from agent_payments p where ${views[view]} limit ${mostCounted}) s) as ${sql.ref(view)}`,
  )
  const { rows } = await sql<Listed['counts']>`select ${sql.join(counted)}`.execute(db)
  return rows[0]!
}

type Time = 'settling_at' | 'decided_at' | 'looked_at'
type Row = Omit<Found, Time | 'at' | 'valid_before'> & Record<Time, Date | null> & Record<'at' | 'valid_before', Date>

/** One payment by its public id. Throws not_found. */
export async function findPayment(db: Queryable, id: string): Promise<Found> {
  const { rows } = await sql<Row>`
    select ${columns}, p.asset, p.nonce, p.pay_to, p.atomic, p.attempt as attempts, p.repeats,
      (select t.name from tools t where t.id = (p.call ->> 'toolId')::bigint) as tool, p.settling_at, p.decided_at, p.looked_at, p.valid_before
    from ${tables} where p.public_id = ${id}`.execute(db)
  const [row] = rows
  if (!row) throw new AppError('not_found')
  const iso = (moment: Date | null) => moment?.toISOString() ?? null
  const { settling_at, decided_at, looked_at } = row
  return {
    ...row,
    at: row.at.toISOString(),
    settling_at: iso(settling_at),
    decided_at: iso(decided_at),
    looked_at: iso(looked_at),
    valid_before: row.valid_before.toISOString(),
  }
}
