import { sql } from 'kysely'
import type { Queryable } from '../../db/database.ts'

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
