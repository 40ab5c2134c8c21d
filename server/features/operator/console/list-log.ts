import type { z } from 'zod'
import type { logEntry } from '#contract/operator/session-routes.ts'
import type { Queryable } from '../../../db/database.ts'

const PAGE = 50

/** Entries of the operators' log, newest first; `next` is the cursor of the page after. */
export async function listLog(
  db: Queryable,
  { account, before }: { account?: string | undefined; before?: number | undefined },
): Promise<{ entries: z.input<typeof logEntry>[]; next: number | null }> {
  const rows = await db
    .selectFrom('operator_log')
    .select(['id', 'at', 'operator', 'action', 'account_id', 'account_name', 'target', 'reason', 'before', 'after'])
    .$if(account !== undefined, (log) => log.where('account_id', '=', account!))
    .$if(before !== undefined, (log) => log.where('id', '<', before!))
    .orderBy('id', 'desc')
    .limit(PAGE + 1)
    .execute()
  const entries = rows
    .slice(0, PAGE)
    .map(({ at, ...row }) => ({ ...row, at: at.toISOString() }) as z.input<typeof logEntry>)
  return { entries, next: rows.length > PAGE ? entries.at(-1)!.id : null }
}
