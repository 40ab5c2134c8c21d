import { sql } from 'kysely'
import type { z } from 'zod'
import type { figuresRoutes } from '#contract/operator/figures-routes.ts'
import type { Queryable } from '../../../db/database.ts'
import { heldCurrency, heldPriceCents } from '../../billing/plans/price-in.ts'
import type { MarketData } from '../../market-data/market-data.ts'
import { convertSums } from './convert-sums.ts'
import { foldedUntil } from './folded-until.ts'
import { sourceLabels } from './read-sums.ts'

const DAY_MS = 86_400_000

/**
 * Notes the recurring revenue at the end of a day: subscriptions in force, late payers in their days of grace included, without
 * trials, free plans and metered ones. Prices are those of the subscription, without tax; a year counts a twelfth.
 */
export async function noteRecurring(tx: Queryable, day: string): Promise<void> {
  await sql`
    insert into operator_mrr (day, currency, price_id, subscriptions, twelfths)
    select ${day}::date, ${heldCurrency}, p.price_id, count(*), sum((${heldPriceCents}) * case p.interval when 'month' then 12 else 1 end)
    from subscriptions s join plans p using (price_id)
    where s.source = 'stripe' and subscription_in_force(s.status, s.past_due_since) and s.provider_status is distinct from 'trialing'
      and p.price_cents > 0 and p.metadata ->> 'type' is distinct from 'payg'
    group by ${heldCurrency}, p.price_id
    on conflict (day, currency, price_id) do nothing`.execute(tx)
}

type Answer = z.input<(typeof figuresRoutes)['getRecurring']['data']>

/** Recurring revenue at the last noted day, and at the end of each month before. `wanted`: the currency of a conversion; null: the largest. */
export async function readRecurring(
  db: Queryable,
  market: Pick<MarketData, 'rates'>,
  wanted: string | null,
): Promise<Answer> {
  const until = await foldedUntil(db)
  // A day without a subscription has no rows: the last day is the last one that was noted, not the last one with rows.
  const day = until && new Date(Math.floor(until.getTime() / DAY_MS) * DAY_MS - DAY_MS).toISOString().slice(0, 10)
  const { rows: plans } = await sql<{ price_id: string; currency: string; subscriptions: number; twelfths: number }>`
    select price_id, currency, subscriptions, twelfths from operator_mrr where day = ${day}::date
    order by twelfths desc, price_id`.execute(db)
  const { rows: months } = await sql<{ day: string; currency: string; subscriptions: number; twelfths: number }>`
    with ends as (
      select least((m + interval '1 month' - interval '1 day')::date, ${day}::date) as day
      from generate_series(date_trunc('month', ${day}::date::timestamp) - interval '24 months', ${day}::date::timestamp, '1 month') m
    )
    select day::text, currency, sum(subscriptions)::bigint as subscriptions, sum(twelfths)::bigint as twelfths
    from operator_mrr join ends using (day) group by 1, 2 order by 1 desc, 2`.execute(db)
  const label = await sourceLabels(db)
  const now = new Map<string, { subscriptions: number; twelfths: number }>()
  for (const { currency, subscriptions, twelfths } of plans) {
    const sum = now.get(currency) ?? { subscriptions: 0, twelfths: 0 }
    now.set(currency, { subscriptions: sum.subscriptions + subscriptions, twelfths: sum.twelfths + twelfths })
  }
  const sums = [...now].map(([currency, { twelfths }]) => ({ currency, cents: twelfths / 12 }))
  const to = wanted ?? sums[0]?.currency
  const whole = day && to ? convertSums(market, sums, to, day) : null
  return {
    day,
    converted: whole && { currency: whole.currency, mrr: whole.cents, rates: whole.rates },
    now: [...now].map(([currency, { subscriptions, twelfths }]) => ({
      currency,
      subscriptions,
      mrr: Math.floor(twelfths / 12),
      arr: twelfths,
    })),
    plans: plans.map(({ price_id, currency, subscriptions, twelfths }) => ({
      source: `plan:${price_id}`,
      label: label(`plan:${price_id}`),
      currency,
      subscriptions,
      mrr: Math.floor(twelfths / 12),
    })),
    months: months.map(({ twelfths, ...row }) => ({
      ...row,
      month: row.day.slice(0, 7),
      mrr: Math.floor(twelfths / 12),
    })),
  }
}
