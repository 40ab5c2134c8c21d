import { sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'
import type { Deps } from '../../../deps.ts'
import { grantFreePeriod } from './grant-free-period.ts'
import { type Period, planPeriod } from './plan-period.ts'

const BATCH = 500
/** Credits of the next month are granted this long before it starts, so that no call falls between two months. */
const AHEAD = sql`interval '1 hour'`
// Stripe renews its subscriptions about an hour late, so this job renews those too, until a day after the period ends.
// Later ones are left to Stripe.
const renewable = sql<boolean>`(s.source = 'free' or current_period_end > app_now() - interval '1 day')`
const soonOver = sql<boolean>`current_period_end <= app_now() + ${AHEAD}`

/**
 * Renews free subscriptions whose month is over: new dates and credits. Those whose month ends within the hour get the
 * next month's credits, effective at its start. Months missed while nothing ran are skipped: their credits would have
 * expired. Safe at any time, any number of times and on several instances. Returns how many months were granted. A
 * subscription that fails is logged and left for the next run.
 */
export async function renewFreePlans({ db, log }: Pick<Deps, 'db' | 'log'>): Promise<number> {
  let granted = 0
  let after = ''
  for (;;) {
    const due = await db.kysely
      .selectFrom('subscriptions as s')
      .innerJoin('plans as p', 'p.price_id', 's.price_id')
      .select('s.id')
      .where('p.type', '=', 'free')
      .where('s.status', '=', 'active')
      .where('s.cancels_at', 'is', null)
      .where(soonOver)
      .where(renewable)
      .where('s.id', '>', after)
      .orderBy('s.id')
      .limit(BATCH)
      .execute()
    for (const { id } of due) {
      after = id
      const done = await renew(db, id).catch((error: Error) => {
        log.error({ subscription: id, error: error.message }, 'could not renew a free plan')
        return false
      })
      if (done) granted++
    }
    if (due.length < BATCH) return granted
  }
}

/**
 * Renews one subscription in one transaction. Returns false if it was already granted or another instance holds the
 * lock.
 */
async function renew(db: Deps['db'], id: string): Promise<boolean> {
  return db.kysely.transaction().execute(async (tx) => {
    const row = await tx
      .selectFrom('subscriptions as s')
      .innerJoin('plans as p', 'p.price_id', 's.price_id')
      .select([
        's.account_id',
        's.anchor_at',
        's.source',
        'p.credits',
        sql<boolean>`current_period_end <= app_now()`.as('over'),
      ])
      .select(sql<Date>`greatest(current_period_end, app_now())`.as('at'))
      .where('s.id', '=', id)
      .where('s.status', '=', 'active')
      .where(soonOver)
      .forNoKeyUpdate('s')
      .skipLocked()
      .executeTakeFirst()
    if (!row) return false
    const period = await planPeriod(tx, row.anchor_at, row.at)
    if (row.over && row.source === 'free') await setPeriod(tx, id, period)
    return grantFreePeriod(tx, row.account_id, row.credits, period)
  })
}

async function setPeriod(tx: Queryable, id: string, { start, end }: Period): Promise<void> {
  await tx
    .updateTable('subscriptions')
    .set({ current_period_start: start, current_period_end: end })
    .where('id', '=', id)
    .execute()
}
