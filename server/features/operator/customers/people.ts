import { sql } from 'kysely'
import type { z } from 'zod'
import type { customerPeople } from '#contract/operator/customers.ts'
import type { Queryable } from '../../../db/database.ts'
import { findCustomer } from './customer-facts.ts'

type People = z.input<typeof customerPeople>

const iso = (column: string) => sql`to_char(${sql.raw(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** Members, the owner first, and open invitations. Throws not_found. */
export async function listPeople(db: Queryable, publicId: string): Promise<People> {
  const { number: account } = await findCustomer(db, publicId)
  const [people, invitations] = await Promise.all([
    sql<People['people'][number]>`
      select p.full_name as name, p.email, m.role, ${iso('m.created_at')} as joined_at, ${iso('p.deletion_due_at')} as deletion_due_at,
        (select to_char(max(s.refreshed_at) at time zone 'UTC', 'YYYY-MM-DD') from auth.sessions s where s.user_id = m.user_id) as last_seen_on
      from account_members m join profiles p using (user_id) where m.account_id = ${account}
      order by array_position(array['owner', 'admin', 'member'], m.role), m.created_at, m.user_id`.execute(db),
    sql<People['invitations'][number]>`
      select email, role, ${iso('sent_at')} as sent_at, ${iso('expires_at')} as expires_at
      from account_invitations where account_id = ${account} and closed_at is null order by id desc`.execute(db),
  ])
  return { people: people.rows, invitations: invitations.rows }
}
