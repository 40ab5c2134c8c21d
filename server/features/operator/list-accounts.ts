import { sql } from 'kysely'
import type { Queryable } from '../../db/database.ts'

export interface AccountLine {
  publicId: string
  name: string
  ownerEmail: string | null
  plan: string | null
  balance: number
  unlimited: boolean
  suspended: boolean
  createdAt: Date
}

export interface AccountFilter {
  /** Part of a name or of an owner's email address, a whole id, or the start of an API key. */
  text?: string
  suspendedOnly?: boolean
  limit: number
}

/** Accounts for an operator, newest first. */
export async function listAccounts(
  db: Queryable,
  { text, suspendedOnly = false, limit }: AccountFilter,
): Promise<AccountLine[]> {
  const like = text === undefined ? null : `%${text.toLowerCase().replaceAll(/[\\%_]/g, '\\$&')}%`
  const { rows } = await sql<AccountLine>`
    select a.public_id as "publicId", a.name, p.email as "ownerEmail", s.name as plan, coalesce(c.balance, 0) as balance,
      coalesce(c.unlimited, false) as unlimited, a.suspended_at is not null as suspended, a.created_at as "createdAt"
    from accounts a
    left join account_members m on m.account_id = a.id and m.role = 'owner'
    left join profiles p on p.user_id = m.user_id
    left join metering.credit_accounts c on c.account_id = a.id
    left join lateral (select plans.name from subscriptions join plans using (price_id)
      where account_id = a.id and status = 'active' order by plans.price_cents desc limit 1) s on true
    where (not ${suspendedOnly} or a.suspended_at is not null)
      and (${like}::text is null or lower(a.name) like ${like} or lower(p.email) like ${like} or a.public_id::text = lower(${text ?? null})
        or exists (select from api_keys k where k.account_id = a.id and k.deleted_at is null and k.start = left(${text ?? null}, 8)
          and length(${text ?? null}) >= 8))
    order by a.id desc limit ${limit}`.execute(db)
  return rows
}
