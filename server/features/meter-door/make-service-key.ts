import type { Queryable } from '../../db/database.ts'
import { hashBytes, hashKey } from '../keys/key-format.ts'
import { newServiceKey, startOfServiceKey } from './service-key-format.ts'

/**
 * Makes a service key and returns its value, which is stored nowhere. `upstreams`: ids of the upstreams whose operations it
 * may charge, known or not yet; null: every operation. Throws a message for the operator.
 */
export async function makeServiceKey(
  db: Queryable,
  upstreams: string[] | null,
): Promise<{ id: number; value: string }> {
  const wrong = upstreams?.find((id) => !/^[a-z][a-z0-9-]{0,62}$/.test(id))
  if (wrong !== undefined)
    throw new Error(`${wrong} is not the id of an upstream: lower case letters, digits and hyphens.`)
  const value = newServiceKey()
  return db.transaction().execute(async (tx) => {
    const { id } = await tx
      .insertInto('service_keys')
      .values({ hash: hashBytes(hashKey(value)), start: startOfServiceKey(value), upstreams })
      .returning('id')
      .executeTakeFirstOrThrow()
    await tx
      .insertInto('audit_log')
      .values({ actor: 'system:operator', action: 'service_key.created', target: String(id) })
      .execute()
    return { id, value }
  })
}
