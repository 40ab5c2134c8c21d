import type { Deps } from '../../../deps.ts'
import type { Manifest } from '../../upstreams/manifest.ts'
import { parseManifest } from '../../upstreams/read-manifest.ts'
import { secretName } from '../../upstreams/request/credential.ts'
import { storedName } from '../../upstreams/secrets/stored-secrets.ts'
import { readUpstreams, readVersion } from '../../upstreams/store.ts'

/**
 * Parses a manifest from the console. What is sent to an address of an owner's choice may come from the secret store, not from the server's
 * environment: only a variable that the setting allows, or that the published version sends to the same place, may be named. Throws an Error
 * with every problem.
 */
export async function parseAllowed({ config, db }: Pick<Deps, 'config' | 'db'>, given: unknown): Promise<Manifest> {
  const manifest = parseManifest(given)
  const name = secretName(manifest.auth)
  if (name === null || storedName(name) !== null || config.UPSTREAM_VARIABLES.includes(name)) return manifest
  const [known] = await readUpstreams(db.kysely, manifest.id)
  const served = known?.published ? await readVersion(db.kysely, manifest.id, known.published) : undefined
  const place = ({ kind, base, auth }: Manifest) => JSON.stringify([kind, base, auth])
  if (served && place(parseManifest(served.manifest)) === place(manifest)) return manifest
  throw new Error(
    `auth: ${name} is an environment variable of the server, which the console may not send anywhere. Store the credential and choose it here, or name ${name} in UPSTREAM_VARIABLES.`,
  )
}
