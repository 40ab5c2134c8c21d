import { sql } from 'kysely'
import type { Queryable } from '../../db/database.ts'

/** Ends a service key on every instance. Holds that it made end by themselves. Returns false if nothing changed. */
export const revokeServiceKey = (db: Queryable, id: number): Promise<boolean> =>
  db.transaction().execute(async (tx) => {
    const revoked = await tx
      .updateTable('service_keys')
      .set({ revoked_at: sql`app_now()` })
      .where('id', '=', id)
      .where('revoked_at', 'is', null)
      .executeTakeFirst()
    if (revoked.numUpdatedRows === 0n) return false
    await tx
      .insertInto('audit_log')
      .values({ actor: 'system:operator', action: 'service_key.revoked', target: String(id) })
      .execute()
    return true
  })
