import { sql } from 'kysely'
import type { z } from 'zod'
import type { AuditEntry, auditQuery } from '#contract/account-data.ts'
import type { UserContext } from '../../context.ts'
import type { Queryable } from '../../db/database.ts'
import { isUuid } from '../../http/uuid.ts'
import { personName } from './person-name.ts'
import { requireManager } from './require-role.ts'

/** Other areas that a filter by area includes. */
const relatedAreas: Partial<Record<string, string[]>> = {
  member: ['ownership'],
  plan: ['auto_topup', 'checkout', 'credits', 'portal', 'topup'],
  preferences: ['alert_webhook', 'limits'],
}

/** A row of the log. */
export interface AuditRow {
  id: number
  at: Date
  actor: string
  action: string
  target: string | null
  detail: AuditEntry['detail']
}

/**
 * A page of the log, newest first: events of the workspace and of the reader's own sign-in. Actors and targets have their
 * current names. Owner and admins. Throws forbidden.
 */
export async function listAudit(
  { actor, deps }: UserContext,
  { limit, cursor, area }: z.output<typeof auditQuery>,
): Promise<{ entries: AuditEntry[]; nextCursor: string | null }> {
  requireManager(actor)
  const db = deps.db.kysely
  const part = (whose: ReturnType<typeof sql>) => sql`
    (select id, at, actor, action, target, detail from audit_log
     where ${whose} ${cursor ? sql`and id < ${Number(cursor)}` : sql``} ${area ? sql`and split_part(action, '.', 1) = any(${[area, ...(relatedAreas[area] ?? [])]})` : sql``}
     order by id desc limit ${limit + 1})`
  const { rows } = await sql<AuditRow>`
    ${part(sql`account_id = ${actor.accountId}`)} union all
    ${part(sql`account_id is null and subject is null and actor = ${`user:${actor.userId}`}`)} union all
    ${part(sql`subject = ${actor.userId}`)}
    order by id desc limit ${limit + 1}`.execute(db)
  const page = rows.slice(0, limit)
  return {
    entries: await presentEntries(db, actor.accountId, page, actor.userId),
    nextCursor: rows.length > limit ? String(page.at(-1)!.id) : null,
  }
}

/** Rows of the account's log with the current names of actors and targets, for a reader or, without one, for an operator. */
export async function presentEntries(
  db: Queryable,
  accountId: number,
  rows: AuditRow[],
  readerId = '',
): Promise<AuditEntry[]> {
  const names = await namesOf(db, accountId, rows)
  return rows.map((row) => present(row, names, readerId))
}

interface Named {
  name: string
  avatarUrl: string | null
}

function present(row: AuditRow, names: Map<string, Named>, readerId: string): AuditEntry {
  const [kind = 'system', id = ''] = row.actor.split(/:(.*)/s)
  const known = kind === 'user' || kind === 'key' ? kind : 'system'
  const name = known === 'system' ? id : (names.get(id)?.name ?? (known === 'user' ? 'Deleted user' : 'Deleted key'))
  return {
    id: row.id,
    time: row.at.toISOString(),
    actor: {
      kind: known,
      name,
      avatar_url: names.get(id)?.avatarUrl ?? null,
      you: known === 'user' && id === readerId,
    },
    action: row.action,
    target: row.target === null ? null : (names.get(row.target)?.name ?? row.target),
    detail: row.detail,
  }
}

/** Names and pictures of the people and keys in the rows, by public id. */
async function namesOf(db: Queryable, accountId: number, rows: AuditRow[]): Promise<Map<string, Named>> {
  const ids = [...new Set(rows.flatMap(({ actor, target }) => [actor.split(':')[1] ?? '', target ?? '']))].filter(
    isUuid,
  )
  if (ids.length === 0) return new Map()
  const [people, keys] = await Promise.all([
    db
      .selectFrom('profiles')
      .select(['user_id', 'full_name', 'email', 'avatar_url'])
      .where('user_id', 'in', ids)
      .execute(),
    db
      .selectFrom('api_keys')
      .select(['public_id', 'name'])
      .where('account_id', '=', accountId)
      .where('public_id', 'in', ids)
      .execute(),
  ])
  return new Map([
    ...people.map((one): [string, Named] => [
      one.user_id,
      { name: personName(one) ?? 'Deleted user', avatarUrl: one.avatar_url },
    ]),
    ...keys.map((one): [string, Named] => [one.public_id, { name: one.name, avatarUrl: null }]),
  ])
}
