import { sql } from 'kysely'
import type { z } from 'zod'
import type { upstreamNote, upstreamServer, upstreamSummary } from '#contract/operator/supply-routes.ts'
import type { Database } from '../../../db/database.ts'
import { AppError } from '../../../http/errors.ts'
import { type Drift, readDrift } from '../../upstreams/drift.ts'
import type { Report } from '../../upstreams/serving/announce.ts'

type Summary = z.input<typeof upstreamSummary>

interface Row {
  id: string
  state: Summary['state']
  published: number | null
  newest: number
  name: string | null
  kind: Summary['kind']
  operations: number
  changed_at: Date
}

/** All upstreams by id, with what each running server says of them and what was noted about their answers. */
export const listUpstreams = (db: Database): Promise<Summary[]> => summaries(db, null)

/** One of them. Throws not_found. */
export async function readUpstreamSummary(db: Database, id: string): Promise<Summary> {
  const [found] = await summaries(db, id)
  if (!found) throw new AppError('not_found', 'There is no such upstream.')
  return found
}

async function summaries(db: Database, id: string | null): Promise<Summary[]> {
  const [{ rows }, servers, drift] = await Promise.all([
    sql<Row>`
      select u.id, u.state, u.published, n.newest, u.changed_at, v.manifest ->> 'name' as name, v.manifest ->> 'kind' as kind,
        jsonb_array_length(v.operations -> 'operations')::int as operations
      from upstreams u
      cross join lateral (select max(version) as newest from upstream_versions where upstream_id = u.id) n
      join upstream_versions v on v.upstream_id = u.id and v.version = coalesce(u.published, n.newest)
      where ${id}::text is null or u.id = ${id} order by u.id`.execute(db.kysely),
    runningServers(db),
    readDrift(db),
  ])
  return rows.map(({ name, changed_at, ...row }) => ({
    ...row,
    name: name ?? row.id,
    changed_at: changed_at.toISOString(),
    servers: row.state === 'published' ? servers.map((one) => serverOf(one, row.id, row.published!)) : [],
    notes: drift.filter((one) => one.id === row.id).map(noteOf),
  }))
}

interface RunningServer {
  name: string
  serves: Record<string, Report | undefined>
}

/** Those that were seen in the last 30 seconds, by the machine's clock as they say it. */
async function runningServers({ pool }: Database): Promise<RunningServer[]> {
  const { rows } = await pool.query<RunningServer>(
    `select name, serves from upstream_servers where seen_at > clock_timestamp() - interval '30 seconds' order by name`,
  )
  return rows
}

function serverOf({ name, serves }: RunningServer, id: string, published: number): z.input<typeof upstreamServer> {
  const report = serves[id]
  const late = report?.version === published ? null : 'it has not taken over this version yet'
  const { health } = report ?? {}
  return {
    name,
    version: report?.version ?? null,
    problem: report?.problem ?? late,
    breaker: health?.breaker ?? null,
    calls: health?.calls ?? 0,
    failed: health?.failed ?? 0,
    p50_ms: health?.p50Ms ?? null,
    p95_ms: health?.p95Ms ?? null,
    since: health?.since ?? null,
  }
}

/** A place in a schema is of an answer; the others are sentences about a definition. */
const noteOf = ({ operation, problem, times, seenAt }: Drift): z.input<typeof upstreamNote> => ({
  operation,
  problem,
  kind: problem.startsWith('#') ? 'answer' : 'definition',
  times,
  seen_at: seenAt.toISOString(),
})
