import { sql } from 'kysely'
import type { z } from 'zod'
import type { creditGrant, customerOverview } from '#contract/operator/customers.ts'
import type { Database } from '../../../db/database.ts'
import { openCustomer } from './customer-facts.ts'
import { readLedger } from './ledger.ts'
import { readTimeline } from './timeline.ts'

const LAST = 5

/** Grants that are not used up, calls of the last 30 UTC days from sums, and the last of ledger and timeline. Throws not_found. */
export async function readOverview(db: Database, publicId: string): Promise<z.input<typeof customerOverview>> {
  const { found, home } = await openCustomer(db, publicId)
  const account = found.number
  const [grants, credits, days, ledger, timeline] = await Promise.all([
    sql<z.input<typeof creditGrant>>`
      select id, kind, amount, remaining, priority, state, to_char(effective_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as starts_at,
        case when expires_at < 'infinity' then to_char(expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') end as expires_at
      from credit_grants where account_id = ${account} and state <> 'closed'
      order by state = 'pending', priority, credit_grants.expires_at, created_at, id`.execute(home),
    sql<{ unsettled: number }>`select unsettled from credit_accounts where account_id = ${account}`.execute(home),
    sql<z.input<typeof customerOverview>['days'][number]>`
      select to_char(d.day, 'YYYY-MM-DD') as day, coalesce(sum(success), 0)::bigint as success, coalesce(sum(failed), 0)::bigint as failed,
        coalesce(sum(refused), 0)::bigint as refused, coalesce(sum(from_credits + from_payg), 0)::bigint as credits
      from (select (app_now() at time zone 'UTC')::date - n as day from generate_series(0, 29) n) d
      left join (select * from usage_by_day where account_id = ${account}
        and day >= (select (app_now() at time zone 'UTC')::date - 29)) u using (day)
      group by d.day order by d.day`.execute(home),
    readLedger(home, account, { limit: LAST }),
    readTimeline(db.kysely, found, { limit: LAST }),
  ])
  return {
    grants: grants.rows,
    unsettled: credits.rows[0]?.unsettled ?? 0,
    days: days.rows,
    ledger: ledger.lines,
    timeline: timeline.entries,
  }
}
