import { sql } from 'kysely'
import type { z } from 'zod'
import type { figuresRoutes } from '#contract/operator/figures-routes.ts'
import type { Queryable } from '../../../db/database.ts'
import { foldedUntil } from './folded-until.ts'
import { currentDay, monthAfter } from './read-sums.ts'

type Answer = z.input<(typeof figuresRoutes)['getTaxes']['data']>

/** The taxes of a UTC month by currency, place, rate and reason. Sales without a tax, and without an invoice, are rows, too. */
export async function readTaxes(db: Queryable, given?: string): Promise<Answer> {
  const month = given ?? (await currentDay(db)).slice(0, 7)
  const { rows } = await sql<Answer['rows'][number]>`
    select currency, tax->>'country' as country, tax->>'state' as state, tax->>'label' as label, (tax->>'percent')::float8 as percent,
      tax->>'reason' as reason, sum(net)::bigint as net, sum(net_returned)::bigint as net_returned,
      sum(collected)::bigint as collected, sum(returned)::bigint as returned
    from operator_taxes where day >= ${`${month}-01`}::date and day < ${`${monthAfter(month)}-01`}::date
    group by currency, tax order by 1, 2, 3, 4, 5, 6`.execute(db)
  return { until: (await foldedUntil(db, 'taxes'))?.toISOString() ?? null, month, rows }
}
