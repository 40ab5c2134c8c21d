import type { Database } from '../../db/database.ts'

/** Keeps the last problem of an operation for `npm run upstream -- list`. */
export async function noteDrift(
  { pool }: Database,
  id: string,
  version: number,
  operation: string,
  problem: string,
): Promise<void> {
  await pool.query(
    `insert into upstream_drift as d (upstream_id, version, operation, problem)
     select id, $2, $3, $4 from upstreams where id = $1
     on conflict (upstream_id, operation) do update set problem = excluded.problem, seen_at = excluded.seen_at,
       times = case when d.version = excluded.version then d.times + 1 else 1 end, version = excluded.version`,
    [id, version, operation, problem],
  )
}

export interface Drift {
  id: string
  version: number
  operation: string
  problem: string
  times: number
  seenAt: Date
}

/** What was noted about the versions that are served now. */
export async function readDrift({ pool }: Database): Promise<Drift[]> {
  const { rows } = await pool.query<Drift>(
    `select d.upstream_id as id, d.version, d.operation, d.problem, d.times, d.seen_at as "seenAt"
     from upstream_drift d join upstreams u on u.id = d.upstream_id and u.published = d.version order by 1, 3`,
  )
  return rows
}
