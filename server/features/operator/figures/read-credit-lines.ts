import { sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'

/** A part of a UTC day. */
export interface Window {
  from: Date
  until: Date
}

/** What happened to credits that nobody paid for, by kind of their grant. */
export interface FreeSums {
  kind: string
  granted: number
  burned: number
  repaid: number
  expired: number
  taken_back: number
}

/** What happened to one paid grant: first credits were taken back, if any, then it was granted or burned, then it expired. */
export interface PaidStep extends FreeSums {
  source_type: string
  source_id: string
  /** What the credits went back with; null: with no money. */
  returned_by: 'refund' | 'dispute' | null
}

/** The changes of credits of a bucket's accounts. The transaction has entered the bucket. */
export async function readCreditLines(
  tx: Queryable,
  bucket: number,
  { from, until }: Window,
): Promise<{ free: FreeSums[]; paid: PaidStep[] }> {
  // Citus joins the bucket's tables with others only after it has read them.
  const lines = sql`
    with lines as materialized (
      select l.id, l.account_id, l.at, l.kind as line, -l.delta as taken, g.kind, g.source_type, g.source_id
      from credit_ledger l join credit_grants g on g.id = l.grant_id where l.at >= ${from} and l.at < ${until}
    ), mine as (
      select lines.* from lines join accounts a on a.id = lines.account_id where a.bucket = ${bucket}
    )`
  const sums = sql`
    coalesce(-sum(taken) filter (where line = 'grant'), 0)::bigint as granted,
    coalesce(sum(taken) filter (where line in ('debit', 'refund')), 0)::bigint as burned,
    coalesce(sum(taken) filter (where line = 'debt'), 0)::bigint as repaid,
    coalesce(sum(taken) filter (where line = 'expiry'), 0)::bigint as expired,
    coalesce(sum(taken) filter (where line = 'void'), 0)::bigint as taken_back`
  const free = await sql<FreeSums>`
    ${lines} select kind, ${sums} from mine where source_type not in ('plan_line', 'topup', 'agent_payment') or kind = 'trial' group by 1`.execute(
    tx,
  )
  const paid = await sql<PaidStep>`
    ${lines}, steps as (
      select mine.*, count(*) filter (where line = 'void') over (partition by source_type, source_id order by id) as step
      from mine where source_type in ('plan_line', 'topup', 'agent_payment') and kind <> 'trial'
    )
    select source_type, source_id, min(kind) as kind, ${sums}, min((
      select min(m.cause) from money_ledger m where m.account_id = steps.account_id and m.cause in ('refund', 'dispute')
        and m.cents < 0 and m.voids_since <= steps.at and m.at >= steps.at)) filter (where line = 'void') as returned_by
    from steps group by source_type, source_id, step order by source_type, source_id, step`.execute(tx)
  return { free: free.rows, paid: paid.rows }
}
