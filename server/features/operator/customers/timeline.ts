import { sql } from 'kysely'
import type { z } from 'zod'
import type { timelineEntry } from '#contract/operator/customers.ts'
import type { Queryable } from '../../../db/database.ts'
import { type AuditRow, presentEntries } from '../../account/list-audit.ts'

type Entry = z.input<typeof timelineEntry>
type Detail = Entry['detail']

interface LogRow {
  id: number
  at: Date
  operator: string
  action: string
  target: string | null
  reason: string
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
}

/**
 * What people of the account and operators did, newest first, from both logs. An operator's act that is in both is shown once, with
 * its reason. The cursor has the last entry of each log.
 */
export async function readTimeline(
  db: Queryable,
  account: { number: number; id: string },
  { before, limit = 50 }: { before?: string | undefined; limit?: number } = {},
): Promise<{ entries: Entry[]; next: string | null }> {
  const [audited = null, logged = null] = before?.split('.').map(Number) ?? []
  const [{ rows: audits }, { rows: acts }] = [
    await sql<AuditRow>`
      select id, at, actor, action, target, detail from audit_log a
      where account_id = ${account.number} and (${audited}::bigint is null or id < ${audited})
        and not (actor = 'system:operator' and exists (select from operator_log l where l.account_id = ${account.id}
          and l.at between a.at - interval '2 seconds' and a.at + interval '2 seconds'))
      order by id desc limit ${limit + 1}`.execute(db),
    await sql<LogRow>`
      select id, at, operator, action, target, reason, before, after from operator_log
      where account_id = ${account.id} and (${logged}::bigint is null or id < ${logged})
      order by id desc limit ${limit + 1}`.execute(db),
  ]
  const people = (await presentEntries(db, account.number, audits)).map(fromAudit)
  const merged = merge(people, acts.map(fromLog))
  const entries = merged.slice(0, limit)
  const lastOf = (log: string, earlier: number | null) =>
    entries.findLast(({ key }) => key.startsWith(log))?.key.slice(1) ?? earlier ?? END
  const next = merged.length > limit ? `${lastOf('a', audited)}.${lastOf('o', logged)}` : null
  return { entries, next }
}

/** Each log stays in its own order, which its cursor follows: clocks of two entries written at once may disagree with it. */
function merge(one: Entry[], other: Entry[]): Entry[] {
  const [first, second] = [[...one], [...other]]
  const merged: Entry[] = []
  while (first.length > 0 && second.length > 0) merged.push((first[0]!.at >= second[0]!.at ? first : second).shift()!)
  return [...merged, ...first, ...second]
}

/** Beyond every id: nothing of that log was shown yet. */
const END = 999_999_999_999_999

type Presented = Awaited<ReturnType<typeof presentEntries>>[number]

const fromAudit = ({ id, time, actor, action, target, detail }: Presented): Entry => ({
  key: `a${id}`,
  at: time,
  by: actor.name,
  by_operator: actor.kind === 'system' && actor.name === 'operator',
  action,
  target,
  detail,
  reason: null,
})

const fromLog = ({ id, at, operator, action, target, reason, before, after }: LogRow): Entry => ({
  key: `o${id}`,
  at: at.toISOString(),
  by: operator,
  by_operator: true,
  action,
  target,
  detail: plain({ ...before, ...after }),
  reason,
})

/** Values of the log are what an act stored; what is no text or number is shown as JSON. */
const plain = (values: Record<string, unknown>): Detail =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      value !== null && typeof value === 'object' ? JSON.stringify(value) : ((value ?? null) as Detail[string]),
    ]),
  )
