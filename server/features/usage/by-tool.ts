import { sql } from 'kysely'
import type { Queryable } from '../../db/database.ts'

const RECENT_DAYS = 7
const MOST_SCANNED = 10_000

export interface ToolUsage {
  toolId: number
  calls: number
  failed: number
  credits: number
}

/** Successful and failed calls of an account since midnight UTC, by tool, most credits first. */
export async function usageByTool(db: Queryable, accountId: number): Promise<ToolUsage[]> {
  const { rows } = await sql<ToolUsage>`
    select tool_id as "toolId", count(*) filter (where success)::int as calls, count(*) filter (where not success)::int as failed,
      sum(from_credits + from_payg)::bigint as credits
    from usage_events
    where account_id = ${accountId} and at >= date_trunc('day', (select app_now()), 'UTC')
    group by 1 order by 4 desc, 1`.execute(db)
  return rows
}

/**
 * All calls of one key by tool, most first, in the last seven days, or among the account's latest 10,000 calls if it made
 * more in that time; `since` says which.
 */
export async function recentByTool(
  db: Queryable,
  accountId: number,
  keyId: number,
): Promise<{ since: Date; tools: ToolUsage[] }> {
  const { rows } = await sql<ToolUsage & { since: Date }>`
    with recent as materialized (
      select at, key_id, tool_id, success, from_credits + from_payg as credits from usage_events
      where account_id = ${accountId} and at >= (select app_now()) - ${RECENT_DAYS}::int * interval '1 day'
      order by at desc limit ${MOST_SCANNED}),
    scanned as (
      select case when count(*) = ${MOST_SCANNED} then min(at)
        else (select app_now()) - ${RECENT_DAYS}::int * interval '1 day' end as since from recent),
    shares as (
      select tool_id, count(*)::int as calls, count(*) filter (where not success)::int as failed, sum(credits)::bigint as credits
      from recent where key_id = ${keyId} group by 1)
    select since, tool_id as "toolId", calls, failed, credits from scanned left join shares on true order by calls desc nulls last, tool_id`.execute(
    db,
  )
  return {
    since: rows[0]!.since,
    tools: rows
      .filter(({ toolId }) => toolId !== null)
      .map(({ toolId, calls, failed, credits }) => ({ toolId, calls, failed, credits })),
  }
}
