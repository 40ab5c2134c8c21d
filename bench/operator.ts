import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { type Database, openDatabase } from '../server/db/database.ts'
import { startEmbedded } from '../server/db/embedded.ts'
import { migrate } from '../server/db/migrate.ts'
import { encodeReceiptId } from '../server/features/metering/receipt-id.ts'
import { findCustomer } from '../server/features/operator/customers/customer-facts.ts'
import { listCustomers } from '../server/features/operator/customers/list-customers.ts'
import { readOverview } from '../server/features/operator/customers/overview.ts'
import { search } from '../server/features/operator/customers/search.ts'
import { totalCustomers } from '../server/features/operator/customers/total-customers.ts'
import { readLiability, readRevenue, readRollforward } from '../server/features/operator/figures/finance.ts'
import { readJournal } from '../server/features/operator/figures/journal.ts'
import { CallRate } from '../server/features/operator/figures/read-calls.ts'
import { readToday } from '../server/features/operator/figures/today.ts'
import { readTodayLists } from '../server/features/operator/figures/today-lists.ts'
import { findCall } from '../server/features/operator/find-call.ts'

const ROUNDS = 40
const WARM_UP = 3

export interface OperatorTiming {
  what: string
  p50Ms: number
  p95Ms: number
}

/** Of a database that is filled once, measured and removed. */
export const flags = [
  'max_wal_size=4GB',
  'maintenance_work_mem=256MB',
  'fsync=off',
  'wal_level=minimal',
  'max_wal_senders=0',
]

/**
 * Fills a separate PostgreSQL with `customers` generated customers and measures the searches and first pages of the console. The
 * target is a p95 of 50 ms.
 */
export async function runOperatorBench(customers: number, say: (line: string) => void): Promise<OperatorTiming[]> {
  const directory = await mkdtemp(join(tmpdir(), 'finmeter-operator-bench-'))
  const server = await startEmbedded(directory, 'bench', { flags })
  const db = openDatabase(server.connectionString, 4, () => {})
  try {
    await migrate(db)
    await fill(db, customers, say)
    const timings: OperatorTiming[] = []
    for (const [what, ask] of Object.entries(await questions(db, customers))) {
      const took: number[] = []
      for (let round = -WARM_UP; round < ROUNDS; round++) {
        const startedAt = performance.now()
        await ask(round + WARM_UP)
        if (round >= 0) took.push(performance.now() - startedAt)
      }
      took.sort((a, b) => a - b)
      timings.push({ what, p50Ms: took[Math.floor(ROUNDS * 0.5)]!, p95Ms: took[Math.floor(ROUNDS * 0.95)]! })
      say(`${what}: p95 ${took[Math.floor(ROUNDS * 0.95)]!.toFixed(1)} ms`)
    }
    return timings
  } finally {
    await db.close()
    await server.stop()
    await rm(directory, { recursive: true, force: true })
  }
}

/** Days of figures: three years, with 12 prices in each of two currencies. One customer in ten has paid, one in a thousand is suspended, past due or on a trial, one in a hundred thousand has the rare plan. */
export async function fill(db: Database, customers: number, say: (line: string) => void): Promise<void> {
  const id = (kind: string, n = 'n') => `md5('${kind}' || ${n})::uuid`
  const steps: Record<string, string> = {
    plans: `insert into plans (price_id, product_id, name, description, price_cents, currency, interval, active, features, metadata, type,
        credits, rate_limit_per_minute, position)
      select 'price_' || name, 'prod_' || name, name, '', cents, 'usd', 'month', true, '{}', '{}', type, 1000, 60, place
      from (values ('Free', 0, 'free', 1), ('Pro', 1900, 'paid', 2), ('Rare', 99900, 'paid', 3)) v(name, cents, type, place)`,
    profiles: `insert into profiles (user_id, email, full_name)
      select ${id('user')}, 'person' || n || '@company' || n / 3 || '.example', 'Person ' || n || ' Surname' from generate_series(1, ${customers}) n`,
    accounts: `insert into accounts (public_id, name, personal_of, created_at, suspended_at)
      select ${id('account')}, case when n % 4 = 0 then 'Company ' || n else 'Personal' end, ${id('user')},
        now() - (${customers} - n) * interval '1 minute', case when n % 1000 = 7 then now() end from generate_series(1, ${customers}) n order by n`,
    members: `insert into account_members (account_id, user_id, role) select id, personal_of, 'owner' from accounts`,
    subscriptions: `insert into subscriptions (id, account_id, price_id, source, status, provider_status, current_period_start, current_period_end)
      select 'sub_' || n, n, case when n % 100000 = 3 then 'price_Rare' when n % 10 = 3 then 'price_Pro' else 'price_Free' end,
        case when n % 10 = 3 then 'stripe' else 'free' end, case when n % 1000 = 13 then 'past_due' else 'active' end,
        case when n % 1000 = 23 then 'trialing' end, now(), now() + interval '1 month' from generate_series(1, ${customers}) n where n % 5 <> 1`,
    credits: `insert into m00.credit_accounts (account_id, balance) select id, 1000 from accounts`,
    grants: `insert into m00.credit_grants (account_id, kind, priority, amount, remaining, state, effective_at, source_type, source_id)
      select id, 'free', 10, 1000, 1000, 'live', now(), 'bench', id::text from accounts`,
    ledger: `insert into m00.credit_ledger (account_id, grant_id, at, kind, delta) select account_id, id, now(), 'grant', amount from m00.credit_grants`,
    keys: `insert into api_keys (public_id, account_id, name, hash, start)
      select ${id('key')}, n, 'Default', sha256(n::text::bytea), 'fm_' || left(md5('start' || n), 5) from generate_series(1, ${customers}) n`,
    payers: `insert into billing_customers (account_id, id, mode) select n, 'cus_' || md5('cus' || n), 'sandbox' from generate_series(3, ${customers}, 10) n`,
    invoices: `insert into invoices (id, account_id, number, status, amount_cents, paid_cents, payment_intent_id, created_at)
      select 'in_' || md5('in' || n || ' ' || m), n, upper(left(md5('no' || n), 8)) || '-' || lpad(m::text, 4, '0'), 'paid', 1900, 1900,
        'pi_' || md5('pi' || n || ' ' || m), now() - m * interval '20 days' from generate_series(3, ${customers}, 10) n, generate_series(1, 3) m`,
    events: `insert into stripe_events (id, type, object_id, customer_id, created_at, processed_at)
      select 'evt_' || md5('evt' || n), 'charge.refunded', 'ch_' || md5('ch' || n), 'cus_' || md5('cus' || n), now(), now()
      from generate_series(3, ${customers}, 10) n`,
    usage: `insert into m00.usage_daily (account_id, key_id, day, success, failed, refused, from_credits, from_payg)
      select n, 0, current_date - d, 10, 1, 0, 10, 0 from generate_series(3, ${customers}, 10) n, generate_series(0, 40, 4) d`,
    tools: `insert into tools (name) values ('bench_tool')`,
    calls: `insert into m00.usage_events (account_id, at, batch, n, tool_id, duration_ms, from_credits, from_payg, success)
      select n, date_trunc('day', now()) + n * interval '1 microsecond', ${id('batch')}, 1, 1, 5, 1, 0, true from generate_series(1, ${customers}) n`,
    money: `insert into money_ledger (at, account_id, cause, ref, source, currency, cents, prepays)
      select created_at, account_id, 'payment', id, 'plan:price_Pro', 'usd', paid_cents, true from invoices`,
    daily: `insert into operator_daily (day, currency, source, granted, burned, received, prepaid, sold, earned)
      select current_date - d, currency, source, 9000, 8000, case when currency = '' then 0 else 9000 end, case when currency = '' then 0 else 9000 end,
        case when currency = '' then 0 else 9000 end, case when currency = '' then 0 else 8000 end
      from generate_series(0, 1094) d, (
        select c as currency, 'plan:price_' || n as source from generate_series(1, 12) n, (values ('usd'), ('eur')) v(c)
        union all select '', k from (values ('free'), ('trial'), ('promo'), ('restore'), ('plan')) v(k)) s`,
    closings: `insert into operator_closings select m::date, currency, source, jsonb_build_object('granted', sum(granted), 'burned', sum(burned),
      'received', sum(received), 'prepaid', sum(prepaid), 'sold', sum(sold), 'earned', sum(earned))
      from generate_series(date_trunc('month', now() - interval '3 years'), now(), '1 month') m join operator_daily on day < m group by 1, 2, 3`,
    hours: `insert into m00.usage_totals (hour, success, failed, refused, from_credits, from_payg)
      select date_trunc('hour', now()) - h * interval '1 hour', 100000, 1000, 500, 100000, 0 from generate_series(0, 2400) h`,
    cohorts: `insert into operator_customers (day, signed_up, called, paid, active, active_30)
      select current_date - d, 1440, 700, 70, 100000, 300000 from generate_series(0, 400) d`,
    top: `insert into operator_top (place, account_id, calls, failed, credits) select n, n, 1000, 10, 1000 from generate_series(1, 10) n`,
    statistics: 'vacuum analyze',
  }
  for (const [what, step] of Object.entries(steps)) {
    await db.pool.query(step)
    say(`seeded: ${what}`)
  }
}

const dayBefore = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)

/** What is measured; the number of the round makes each question another one. */
export async function questions(
  db: Database,
  customers: number,
): Promise<Record<string, (round: number) => Promise<unknown>>> {
  const deps = { db, stripe: null, log: pino({ level: 'silent' }) } as unknown as Parameters<typeof search>[0]
  const md5 = async (text: string): Promise<string> =>
    (await db.pool.query('select md5($1) as hash', [text])).rows[0].hash
  const uuid = async (text: string): Promise<string> =>
    (await db.pool.query('select md5($1)::uuid::text as id', [text])).rows[0].id
  const payer = (round: number) => Math.floor((round * customers) / 50 / 10) * 10 + 3
  const { rows } = await db.pool.query(
    `select (extract(epoch from date_trunc('day', now())) * 1000000)::bigint as start`,
  )
  const find = (text: (n: number) => Promise<string> | string) => async (round: number) => {
    const { hits } = await search(deps, await text(payer(round)))
    if (hits.length === 0) throw new Error(`nothing was found for ${await text(payer(round))}`)
  }
  const page = (filter: Parameters<typeof listCustomers>[1], before?: number) => () =>
    listCustomers(db.kysely, filter, { before })
  const totals = (filter: Parameters<typeof listCustomers>[1]) => () =>
    totalCustomers(db.kysely, filter, { withMoney: true })
  return {
    'search: email': find((n) => `person${n}@company${Math.floor(n / 3)}.example`),
    'search: start of an email': find((n) => `person${n}@com`),
    'search: domain': find((n) => `company${Math.floor(n / 3)}.example`),
    'search: name of a person': find((n) => `Person ${n}`),
    'search: one letter, of everyone': find(() => 'p'),
    'search: Personal, of most': find(() => 'Personal'),
    'search: key': find(async (n) => `fm_${(await md5(`start${n}`)).slice(0, 5)}`),
    'search: two characters of a key': find(() => 'fm_a1'),
    'search: account': find((n) => uuid(`account${n}`)),
    'search: cus_': find(async (n) => `cus_${await md5(`cus${n}`)}`),
    'search: in_': find(async (n) => `in_${await md5(`in${n} 1`)}`),
    'search: pi_': find(async (n) => `pi_${await md5(`pi${n} 1`)}`),
    'search: ch_': find(async (n) => `ch_${await md5(`ch${n}`)}`),
    'search: sub_': find((n) => `sub_${n}`),
    'search: evt_': find(async (n) => `evt_${await md5(`evt${n}`)}`),
    'search: invoice number': find(async (n) => `${(await md5(`no${n}`)).slice(0, 8)}-0001`),
    'list: first page': page({}),
    'list: a page in the middle': page({}, customers / 2),
    'list: the last page': page({}, 40),
    'list: plan Free': page({ plan: 'Free' }),
    'list: plan Pro': page({ plan: 'Pro' }),
    'list: plan Rare': page({ plan: 'Rare' }),
    'list: suspended': page({ state: 'suspended' }),
    'list: past due': page({ state: 'past_due' }),
    'list: trial': page({ state: 'trial' }),
    'list: active': page({ state: 'active' }),
    'list: no plan': page({ state: 'no_plan' }),
    'list: being deleted': page({ state: 'deleting' }),
    'list: new in 7 days': page({ new: '7d' }),
    'list: new, suspended, Pro': page({ new: '30d', state: 'suspended', plan: 'Pro' }),
    'totals: everyone': totals({}),
    'totals: plan Pro': totals({ plan: 'Pro' }),
    'totals: plan Rare': totals({ plan: 'Rare' }),
    'totals: suspended': totals({ state: 'suspended' }),
    'totals: no plan': totals({ state: 'no_plan' }),
    'totals: new in 7 days': totals({ new: '7d' }),
    'totals: new, suspended, Pro': totals({ new: '30d', state: 'suspended', plan: 'Pro' }),
    'one customer': async (round) => findCustomer(db.kysely, await uuid(`account${payer(round)}`)),
    'overview of one': async (round) => readOverview(db, await uuid(`account${payer(round)}`)),
    Today: () => readToday(db, new CallRate()),
    'Today: lists': () => readTodayLists(db),
    'liability of a day': (round) => readLiability(db.kysely, dayBefore(round)),
    'credits of a month': () => readRollforward(db.kysely),
    'revenue of twelve months': () => readRevenue(db.kysely, 12),
    'journal of a month': () => readJournal(db.kysely),
    'receipt without its account': async (round) => {
      const n = payer(round)
      const id = encodeReceiptId({ batch: await uuid(`batch${n}`), n: 1, atMicros: Number(rows[0].start) + n })
      await findCall(db.kysely, id, null, { compare: false })
    },
  }
}

/** A table of what was measured. */
export function operatorMarkdown(customers: number, timings: OperatorTiming[]): string {
  return [
    `${customers.toLocaleString('en-US')} customers.`,
    '',
    '| Question | p50, ms | p95, ms |',
    '| --- | ---: | ---: |',
    ...timings.map(({ what, p50Ms, p95Ms }) => `| ${what} | ${p50Ms.toFixed(1)} | ${p95Ms.toFixed(1)} |`),
  ].join('\n')
}
