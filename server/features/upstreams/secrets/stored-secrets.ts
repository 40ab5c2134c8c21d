import type { Queryable } from '../../../db/database.ts'
import type { Secrets } from '../../../secrets/secrets.ts'

const PREFIX = 'stored:'
export const SECRET_PURPOSE = 'upstream_secrets.secret'

/** The name in the secret store, of what a manifest names; null: it names an environment variable, or nothing. */
export const storedName = (secret: string | null): string | null =>
  secret?.startsWith(PREFIX) ? secret.slice(PREFIX.length) : null

/** A value of the store as the database has it. It opens only under its own name. */
export interface SealedSecret {
  revision: string
  sealed: Buffer
}

/** Every stored secret, by its name. There are a few, as many as upstreams at most. */
export async function readSealed(db: Queryable): Promise<Map<string, SealedSecret>> {
  const rows = await db.selectFrom('upstream_secrets').select(['name', 'revision', 'secret as sealed']).execute()
  return new Map(rows.map(({ name, ...one }) => [name, one]))
}

/**
 * The environment of credentials: that of the process, with the stored secret that a manifest names, under the manifest's own name for it. A
 * variable never passes for a stored secret. Throws an Error, without the value, when it cannot be opened.
 */
export function credentialEnv(
  secret: string | null,
  env: NodeJS.ProcessEnv,
  stored: ReadonlyMap<string, SealedSecret>,
  secrets: Pick<Secrets, 'decrypt'>,
): NodeJS.ProcessEnv {
  const name = storedName(secret)
  if (name === null) return env
  const found = stored.get(name)
  return { ...env, [secret!]: found && open(name, found.sealed, secrets) }
}

function open(name: string, sealed: Buffer, { decrypt }: Pick<Secrets, 'decrypt'>): string {
  try {
    return decrypt(SECRET_PURPOSE, sealed, name)
  } catch {
    throw new Error(`The stored secret ${name} cannot be opened. Set it again: npm run upstream -- secret set ${name}`)
  }
}
