import { sql } from 'kysely'
import type { CheckLine } from '#contract/operator/health-routes.ts'
import type { Queryable } from '../../../db/database.ts'

export type CheckName = 'doctor' | 'invariants' | 'billing invariants'

export interface CheckRun {
  name: CheckName
  ranAt: Date
  lines: CheckLine[]
}

/** Replaces what the last run of a check said. */
export async function noteCheckRun(db: Queryable, name: CheckName, lines: readonly CheckLine[]): Promise<void> {
  await sql`insert into check_runs (name, ran_at, lines) values (${name}, app_now(), ${JSON.stringify(lines)}::jsonb)
    on conflict (name) do update set ran_at = excluded.ran_at, lines = excluded.lines`.execute(db)
}

/** What a comparison found, as lines; none is one line, too. */
export const linesOf = (violations: readonly string[]): CheckLine[] =>
  violations.length === 0
    ? [{ level: 'ok', text: 'All checks pass.' }]
    : violations.map((text) => ({ level: 'wrong', text }))

export async function readCheckRuns(db: Queryable): Promise<CheckRun[]> {
  const rows = await db.selectFrom('check_runs').select(['name', 'ran_at', 'lines']).orderBy('name').execute()
  return rows.map(({ name, ran_at, lines }) => ({
    name: name as CheckName,
    ranAt: ran_at,
    lines: lines as unknown as CheckLine[],
  }))
}
