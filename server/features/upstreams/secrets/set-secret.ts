import { sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'
import { transact } from '../../../db/in-transaction.ts'
import type { Secrets } from '../../../secrets/secrets.ts'
import { UPSTREAMS_CHANGED } from '../store.ts'
import { SECRET_PURPOSE } from './stored-secrets.ts'

const MOST_CHARACTERS = 8_000

/** Stores a credential, or replaces it: servers use it within two seconds. Throws an Error that never has the value. */
export async function setSecret(
  db: Queryable,
  { encrypt }: Pick<Secrets, 'encrypt'>,
  name: string,
  value: string,
): Promise<void> {
  requireName(name)
  if (value === '') throw new Error('The value is empty.')
  if (value.length > MOST_CHARACTERS) throw new Error(`The value has more than ${MOST_CHARACTERS} characters.`)
  if (!/^[\x20-\x7E]+$/.test(value)) throw new Error('The value has characters that no header can have.')
  const secret = encrypt(SECRET_PURPOSE, value, name)
  await transact(db, async (tx) => {
    await tx
      .insertInto('upstream_secrets')
      .values({ name, secret })
      .onConflict((conflict) =>
        conflict.column('name').doUpdateSet({ secret, revision: sql`gen_random_uuid()`, changed_at: sql`app_now()` }),
      )
      .execute()
    await noteChange(tx, 'set', name)
  })
}

export function requireName(name: string): void {
  if (!/^[A-Z][A-Z0-9_]{0,99}$/.test(name))
    throw new Error(
      `${name.slice(0, 100)} is no name of a secret: capital letters, digits and underscores, such as ACME_KEY.`,
    )
}

/** In the audit log, and for the servers. */
export async function noteChange(tx: Queryable, change: 'set' | 'removed', name: string): Promise<void> {
  await tx
    .insertInto('audit_log')
    .values({ actor: 'system:operator', action: `upstream_secret.${change}`, target: name })
    .execute()
  await sql`select pg_notify(${UPSTREAMS_CHANGED}, ${name})`.execute(tx)
}
