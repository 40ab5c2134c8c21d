import { sql } from 'kysely'
import { z } from 'zod'
import type { healthRoutes } from '#contract/operator/health-routes.ts'
import { type Config, settings } from '../../../config/config.ts'
import type { Queryable } from '../../../db/database.ts'
import type { Deps } from '../../../deps.ts'
import { readCheckRuns } from './check-runs.ts'
import { runDoctor } from './run-doctor.ts'

type Health = z.input<typeof healthRoutes.getHealth.data>

const STALE_MS = 60 * 60_000

/** How the installation is. The doctor runs first if it has not for an hour, because its job does not. */
export async function readHealth(deps: Deps): Promise<Health> {
  const { kysely: db } = deps.db
  const known = (await readCheckRuns(db)).find(({ name }) => name === 'doctor')
  if (!known || Date.now() - known.ranAt.getTime() > STALE_MS) await runDoctor(deps)
  const [checks, database, instances, jobs, backups] = await Promise.all([
    readChecks(db),
    readSizes(db),
    readInstances(db),
    readJobs(db),
    readBackups(db),
  ])
  return { checks, database, instances, jobs, backups, settings: settingsInForce(deps.config) }
}

async function readChecks(db: Queryable): Promise<Health['checks']> {
  const runs = await readCheckRuns(db)
  return (['doctor', 'invariants', 'billing invariants'] as const).map((name) => {
    const run = runs.find((one) => one.name === name)
    return { name, ran_at: run?.ranAt.toISOString() ?? null, lines: run?.lines ?? [] }
  })
}

async function readSizes(db: Queryable): Promise<Health['database']> {
  const { rows } = await sql<{ bytes: number }>`select pg_database_size(current_database())::bigint as bytes`.execute(
    db,
  )
  const { rows: days } = await sql<{ day: string; bytes: number }>`
    select day::text, bytes from database_sizes order by day desc limit 90`.execute(db)
  return { bytes: rows[0]!.bytes, days: days.reverse() }
}

/** Notes today's size, for growth. The last note of a day stays. */
export const noteDatabaseSize = (db: Queryable): Promise<unknown> =>
  sql`insert into database_sizes (day, bytes) select (app_now() at time zone 'UTC')::date, pg_database_size(current_database())
    on conflict (day) do update set bytes = excluded.bytes`.execute(db)

/** Servers that said within half a minute that they run. Times are the machine's. */
async function readInstances(db: Queryable): Promise<Health['instances']> {
  const { rows } = await sql<{ name: string; seen: Date; serves: Record<string, { problem: string | null }> }>`
    select name, seen_at as seen, serves from upstream_servers where seen_at > clock_timestamp() - interval '30 seconds'
    order by name`.execute(db)
  return rows.map(({ name, seen, serves }) => ({
    name,
    seen_at: seen.toISOString(),
    problems: Object.entries(serves).flatMap(([id, { problem }]) => (problem === null ? [] : [`${id}: ${problem}`])),
  }))
}

async function readJobs(db: Queryable): Promise<Health['jobs']> {
  const table = 'graphile_worker._private_known_crontabs'
  const { rows: ready } = await sql<{ ready: boolean }>`select to_regclass(${table}) is not null as ready`.execute(db)
  if (!ready[0]!.ready) return []
  const { rows } = await sql<{ name: string; last: Date | null }>`
    select identifier as name, last_execution as last from ${sql.raw(table)} order by identifier`.execute(db)
  return rows.map(({ name, last }) => ({ name, last_run_at: last?.toISOString() ?? null }))
}

async function readBackups(db: Queryable): Promise<Health['backups']> {
  const rows = await db.selectFrom('backup_runs').selectAll().orderBy('id', 'desc').limit(20).execute()
  return rows.map(({ kind, at, ok, detail }) => ({
    kind: kind as 'backup' | 'drill',
    at: at.toISOString(),
    ok,
    detail,
  }))
}

/** Addresses that customers see anyway. Every other text may hold a secret: of it only whether it is set is shown. */
const PUBLIC = ['PUBLIC_URL', 'HOST']

/** Every setting with its value in force, if that is a number, a choice, or public. */
function settingsInForce(config: Config): Health['settings'] {
  const values = config as unknown as Record<string, unknown>
  return Object.entries(settings).map(([name, { about, schema }]) => {
    const value = values[name]
    const shown = typeof value === 'number' || isChoice(schema) || PUBLIC.includes(name)
    return { name, about, set: value !== undefined, value: shown && value !== undefined ? String(value) : null }
  })
}

function isChoice(schema: z.ZodType): boolean {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodOptional) return isChoice(schema.unwrap() as z.ZodType)
  return schema instanceof z.ZodEnum
}
