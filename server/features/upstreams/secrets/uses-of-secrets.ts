import { sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'
import type { Auth, OAuth } from '../manifest.ts'
import { secretName } from '../request/credential.ts'
import { storedName } from './stored-secrets.ts'

export interface SecretUse {
  /** In the secret store. */
  name: string
  upstream: string
  version: number
  /** It is the published version, also while the upstream is paused. */
  served: boolean
}

/** Which versions of upstreams name a stored secret. */
export async function usesOfSecrets(db: Queryable): Promise<SecretUse[]> {
  const { rows } = await sql<{ upstream: string; version: number; auth: Auth | OAuth | null; served: boolean }>`
    select u.id as upstream, v.version, v.manifest -> 'auth' as auth, coalesce(u.published = v.version, false) as served
    from upstreams u join upstream_versions v on v.upstream_id = u.id order by 1, 2`.execute(db)
  return rows.flatMap(({ auth, ...use }) => {
    const name = storedName(secretName(auth ?? undefined))
    return name === null ? [] : [{ name, ...use }]
  })
}

/** Throws an Error when a version names a stored secret that there is not. */
export async function requireStored(db: Queryable, upstream: string, version: number): Promise<void> {
  const use = (await usesOfSecrets(db)).find((one) => one.upstream === upstream && one.version === version)
  if (!use) return
  const found = await db.selectFrom('upstream_secrets').select('name').where('name', '=', use.name).executeTakeFirst()
  if (!found)
    throw new Error(
      `${upstream} version ${version} needs the stored secret ${use.name}. Set it first: npm run upstream -- secret set ${use.name}`,
    )
}
