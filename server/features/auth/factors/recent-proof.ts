import { sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'

const RECENT = '10 minutes'

/** Whether the session gave a second factor within the last ten minutes: a session left open proves nothing. */
export async function provedRecently(db: Queryable, sessionId: string): Promise<boolean> {
  const proof = await db
    .selectFrom('auth.session_methods')
    .select('at')
    .where('session_id', '=', sessionId)
    .where('method', 'in', [...SECOND_FACTORS])
    .where('at', '>', sql<Date>`app_now() - ${RECENT}::interval`)
    .executeTakeFirst()
  return proof !== undefined
}

/** The methods in `amr` that make a session aal2. */
export const SECOND_FACTORS = ['totp', 'mfa/phone'] as const
