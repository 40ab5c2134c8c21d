import { sql } from 'kysely'
import type { Role } from '#contract/account.ts'
import type { UserContext } from '../../context.ts'
import type { Queryable } from '../../db/database.ts'
import { AppError } from '../../http/errors.ts'
import { suspendedError } from '../shop/suspended-error.ts'
import { signsInSql } from './has-access.ts'
import { requireManager } from './require-role.ts'

interface Row {
  role: Role | null
  signsIn: boolean
  suspended: boolean
  ending: boolean
}

/**
 * Checks, under `lockAccount`, that something new may start in the workspace: a key, an invitation, a purchase. The
 * person's role is read again, because it may have ended since the request arrived. Throws unauthorized, not_found,
 * forbidden, account_suspended, or conflict while the owner's account is being deleted.
 */
export async function requireActive(
  tx: Queryable,
  { actor, deps }: Pick<UserContext, 'actor' | 'deps'>,
): Promise<void> {
  const { rows } = await sql<Row>`
    select caller.role, ${sql.raw(signsInSql(deps.config, 'person.id'))} as "signsIn",
      a.suspended_at is not null as suspended,
      exists (select from account_members o join profiles p on p.user_id = o.user_id
        where o.account_id = a.id and o.role = 'owner' and p.deletion_due_at is not null) as ending
    from accounts a cross join (values (${actor.userId}::uuid)) as person (id)
    left join account_members caller on caller.account_id = a.id and caller.user_id = person.id
    where a.id = ${actor.accountId}`.execute(tx)
  const { role, signsIn, suspended, ending } = rows[0]!
  if (!signsIn) throw new AppError('unauthorized')
  if (role === null) throw new AppError('not_found', 'This workspace does not exist, or you are not a member of it.')
  requireManager({ ...actor, role })
  if (suspended) throw suspendedError(deps.shop.current())
  if (ending) throw new AppError('conflict', 'This account is being deleted. Keep it in Settings first.')
}
