import type { Queryable } from '../../../db/database.ts'
import { transact } from '../../../db/in-transaction.ts'
import { noteSecurityEvent } from '../audit.ts'

/** Ends one session of a person. False: they have none with this id. */
export const endSession = (db: Queryable, userId: string, sessionId: string): Promise<boolean> =>
  transact(db, async (tx) => {
    const ended = await tx
      .deleteFrom('auth.sessions')
      .where('user_id', '=', userId)
      .where('id', '=', sessionId)
      .executeTakeFirst()
    if (ended.numDeletedRows === 0n) return false
    await noteSecurityEvent(tx, userId, 'auth.signed_out', sessionId, { scope: 'one' })
    return true
  })
