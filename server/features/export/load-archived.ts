import type { PoolClient } from 'pg'
import type { Queryable } from '../../db/database.ts'
import type { ArchiveStore } from '../archive/archive-store.ts'
import { archivedCalls } from '../archive/read-calls.ts'

/**
 * Fills the temporary table archived_events with the account's archived calls, for the query of the export. The caller has
 * opened the transaction, in the bucket of the account.
 */
export async function loadArchived(
  client: PoolClient,
  db: Queryable,
  archive: ArchiveStore | null,
  accountId: number,
): Promise<void> {
  await client.query(
    'create temp table if not exists archived_events (like usage_events) on commit drop; truncate archived_events',
  )
  if (!archive) return
  for await (const calls of archivedCalls(db, archive, accountId, { from: 0, to: Number.MAX_SAFE_INTEGER }))
    await client.query(
      `insert into archived_events (account_id, at, key_id, batch, n, tool_id, duration_ms, from_credits, from_payg, success, units)
       select account_id, timestamptz 'epoch' + at_micros * interval '1 microsecond', key_id, batch, n, tool_id, duration_ms, from_credits, from_payg, success, units
       from jsonb_to_recordset($1::jsonb) e(account_id bigint, at_micros bigint, key_id bigint, batch uuid, n smallint, tool_id smallint,
         duration_ms int, from_credits int, from_payg int, success boolean, units int)`,
      [JSON.stringify(calls)],
    )
}
