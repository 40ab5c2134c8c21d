import { sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'

/** The person of the sandbox who is offered as the operator. */
const SANDBOX_OPERATOR = 'operator@example.com'

/**
 * For a trial on one machine: until there is an operator, a person of the sandbox is the owner. Never where strangers may reach
 * the sandbox, which lets anyone sign in as anyone.
 */
export async function offerOperator(db: Queryable): Promise<void> {
  await sql`insert into operators (email, role, added_by)
    select ${SANDBOX_OPERATOR}, 'owner', 'sandbox' where not exists (select from operators)
    on conflict do nothing`.execute(db)
}
