import { sql } from 'kysely'
import type { z } from 'zod'
import type { figuresRoutes, returnEntry } from '#contract/operator/figures-routes.ts'
import type { Queryable } from '../../../db/database.ts'
import { shownName } from '../account-name.ts'
import { foldedUntil } from './folded-until.ts'
import { creditsOf, currentDay, monthAfter, owedOf, readSums, sourceLabels } from './read-sums.ts'

type Answer<R extends keyof typeof figuresRoutes> = z.input<(typeof figuresRoutes)[R]['data']>

const untilOf = async (db: Queryable) => ({ until: (await foldedUntil(db))?.toISOString() ?? null })

/** Receipts of the last months, the current one included. Net: without refunds, and without what disputes hold or took. */
export async function readRevenue(db: Queryable, months: number): Promise<Answer<'getRevenue'>> {
  const { rows } = await sql<{
    month: string
    currency: string
    source: string
    received: number
    refunded: number
    disputed: number
  }>`
    select to_char(day, 'YYYY-MM') as month, currency, source, sum(received)::bigint as received, sum(refunded)::bigint as refunded,
      sum(disputed)::bigint as disputed
    from operator_daily
    where day >= (date_trunc('month', (select app_now()), 'UTC') at time zone 'UTC')::date - make_interval(months => ${months - 1}::int)
    group by 1, 2, 3 having sum(abs(received) + abs(refunded) + abs(disputed)) > 0 order by 1 desc, 2, 3`.execute(db)
  const label = await sourceLabels(db)
  return {
    ...(await untilOf(db)),
    rows: rows.map((row) => ({ ...row, label: label(row.source), net: row.received - row.refunded - row.disputed })),
  }
}

/** Credits and money of a month, by source. Each line's opening and movements give its closing. */
export async function readRollforward(db: Queryable, given?: string): Promise<Answer<'getCredits'>> {
  const month = given ?? (await currentDay(db)).slice(0, 7)
  const first = `${month}-01`
  const before = await readSums(db, null, first)
  const during = await readSums(db, first, `${monthAfter(month)}-01`)
  const key = ({ currency, source }: { currency: string; source: string }) => `${currency} ${source}`
  const opened = new Map(before.map((sums) => [key(sums), sums]))
  const moved = new Map(during.map((sums) => [key(sums), sums]))
  const lines = [...new Map([...before, ...during].map((sums) => [key(sums), sums]))].map(
    ([name, { currency, source, label }]) => ({
      head: { currency, source, label },
      opening: opened.get(name),
      sums: moved.get(name),
    }),
  )
  return {
    ...(await untilOf(db)),
    month,
    credits: lines
      .map(({ head, opening, sums }) => {
        const start = opening ? creditsOf(opening) : 0
        const { granted = 0, burned = 0, repaid = 0, expired = 0, taken_back = 0 } = sums ?? {}
        const closing = start + (sums ? creditsOf(sums) : 0)
        return { ...head, opening: start, granted, burned, repaid, expired, taken_back, closing }
      })
      .filter(({ opening, granted, closing }) => opening !== 0 || granted !== 0 || closing !== 0),
    money: lines
      .map(({ head, opening, sums }) => {
        const start = opening ? owedOf(opening) : 0
        const { sold = 0, earned = 0, lapsed = 0, forfeited = 0 } = sums ?? {}
        const returned = sums ? sums.returned + sums.returned_disputed : 0
        const closing = start + (sums ? owedOf(sums) : 0)
        return { ...head, opening: start, sold, earned, lapsed, returned, forfeited, closing }
      })
      .filter(({ currency, opening, sold, closing }) => currency && (opening !== 0 || sold !== 0 || closing !== 0)),
  }
}

const CHART_DAYS = 90

/** What is owed at the end of a UTC day; of the current day, as far as its sums are complete. */
export async function readLiability(db: Queryable, given?: string): Promise<Answer<'getLiability'>> {
  const day = given ?? (await currentDay(db))
  const { rows: next } = await sql<{ day: string; first: string }>`
    select (${day}::date + 1)::text as day, (${day}::date - ${CHART_DAYS - 1}::int)::text as first`.execute(db)
  const sums = await readSums(db, null, next[0]!.day)
  const prepaid = new Map<string, number>()
  for (const one of sums)
    prepaid.set(one.currency, (prepaid.get(one.currency) ?? 0) + one.prepaid - one.sold - one.ungranted)
  return {
    ...(await untilOf(db)),
    day,
    rows: sums
      .map((one) => ({
        source: one.source,
        label: one.label,
        currency: one.currency,
        credits: creditsOf(one),
        cents: one.currency ? owedOf(one) : 0,
      }))
      .filter(({ credits, cents }) => credits !== 0 || cents !== 0),
    prepaid: [...prepaid].filter(([, cents]) => cents !== 0).map(([currency, cents]) => ({ currency, cents })),
    days: await readDays(db, next[0]!.first, day),
  }
}

/** What was owed at the end of each day, by currency. */
async function readDays(db: Queryable, first: string, last: string): Promise<Answer<'getLiability'>['days']> {
  const opening = (await readSums(db, null, first)).filter(({ currency }) => currency !== '')
  const { rows } = await sql<{ day: string; currency: string; change: number }>`
    select day::text, currency, sum(sold - earned - lapsed - returned - returned_disputed - forfeited)::bigint as change
    from operator_daily where currency <> '' and day between ${first}::date and ${last}::date group by 1, 2`.execute(db)
  const changes = new Map(rows.map(({ day, currency, change }) => [`${day} ${currency}`, change]))
  return [...new Set([...opening, ...rows].map(({ currency }) => currency))].sort().flatMap((currency) => {
    let cents = opening.reduce((sum, one) => sum + (one.currency === currency ? owedOf(one) : 0), 0)
    return Array.from({ length: CHART_DAYS }, (_, index) => {
      const day = new Date(Date.parse(first) + index * 86_400_000).toISOString().slice(0, 10)
      cents += changes.get(`${day} ${currency}`) ?? 0
      return { day, currency, cents }
    })
  })
}

const PAGE = 50

/** Refunds and disputes, newest first; `next` is the cursor of the page after. */
export async function listReturns(db: Queryable, before?: number): Promise<Answer<'listReturns'>> {
  const rows = await db
    .selectFrom('money_ledger as m')
    .innerJoin('accounts as a', 'a.id', 'm.account_id')
    .leftJoin('reversals as r', 'r.charge_id', 'm.ref')
    .select([
      'm.id',
      'm.at',
      'a.public_id',
      sql.raw<string>(shownName).as('name'),
      'm.cause',
      'm.ref',
      'm.source',
      'm.currency',
      'm.cents',
    ])
    .select(sql<number | null>`case when m.source <> 'tax' then r.voided end`.as('voided'))
    .select(sql<number | null>`case when m.source <> 'tax' then r.spent end`.as('spent'))
    .select((from) =>
      from
        .selectFrom('disputes as d')
        .select('d.status')
        .whereRef('d.charge_id', '=', 'm.ref')
        .orderBy('d.id', 'desc')
        .limit(1)
        .as('dispute'),
    )
    .where('m.cause', '<>', 'payment')
    // A return that was moved to its payment, which came later, is listed once.
    .where(
      sql<boolean>`m.source <> 'other' or (select sum(o.cents) from money_ledger o where o.ref = m.ref and o.cause = m.cause and o.source = 'other') <> 0`,
    )
    .$if(before !== undefined, (lines) => lines.where('m.id', '<', before!))
    .orderBy('m.id', 'desc')
    .limit(PAGE + 1)
    .execute()
  const label = await sourceLabels(db)
  const entries = rows.slice(0, PAGE).map(
    (row): z.input<typeof returnEntry> => ({
      id: row.id,
      at: row.at.toISOString(),
      account_id: row.public_id,
      account_name: row.name,
      cause: row.cause as 'refund' | 'dispute',
      dispute: row.cause === 'dispute' ? row.dispute : null,
      charge_id: row.ref,
      source: row.source,
      label: label(row.source),
      currency: row.currency,
      cents: -row.cents,
      credits_taken_back: row.voided ?? 0,
      credits_used: row.spent ?? 0,
    }),
  )
  return { entries, next: rows.length > PAGE ? entries.at(-1)!.id : null }
}
