import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { Database } from '../../db/database.ts'
import { anyText, withoutSlowRules } from '../tools/json-input.ts'
import type { JsonSchema } from './document/operation.ts'

/** One answer in this time is compared, for each operation on each server. */
const EVERY_MS = 60_000
/** Comparing larger ones would hold up other calls. */
const MOST_TEXT = 256 * 1024

/**
 * Compares a sample of an operation's answers with its described form, after the call. `report` gets the place and the broken rule,
 * never data. Nothing of it reaches the customer. A schema that cannot be compiled is compared with nothing.
 */
export function createDriftCheck(
  schema: JsonSchema | null,
  report: (problem: string) => void,
  everyMs = EVERY_MS,
): (body: unknown, bytes: number) => void {
  let nextMs = 0
  let validate: ValidateFunction | null | undefined = schema === null ? null : undefined
  return (body, bytes) => {
    const nowMs = performance.now()
    if (validate === null || nowMs < nextMs || bytes > MOST_TEXT) return
    nextMs = nowMs + everyMs
    setImmediate(() => {
      validate ??= compile(schema!)
      try {
        if (validate && !validate(body)) report(problemText(validate.errors![0]!))
      } catch {
        // Nested so deeply that a circular schema runs out of stack, which would end the process here.
      }
    })
  }
}

function compile(schema: JsonSchema): ValidateFunction | null {
  try {
    const ajv = withoutSlowRules(new Ajv2020({ strict: false, logger: false, code: { regExp: anyText } }))
    formats.default(ajv)
    return ajv.compile(schema)
  } catch {
    return null
  }
}

/** Positions in lists say nothing, and names that the answer itself chose could be data. */
function problemText({ schemaPath, keyword, message = '' }: ErrorObject): string {
  const said =
    keyword === 'additionalProperties' || keyword === 'unevaluatedProperties' ? 'has a property more' : message
  return `${schemaPath.slice(0, 200)}: ${said.slice(0, 200)}`
}

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
