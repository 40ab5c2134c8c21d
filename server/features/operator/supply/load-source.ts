import { createHash } from 'node:crypto'
import type { z } from 'zod'
import type { supplyRoutes } from '#contract/operator/supply-routes.ts'
import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../http/errors.ts'
import { BlockedAddress, hostOf } from '../../../net/checked-addresses.ts'
import { fetchText } from '../../upstreams/document/load-document.ts'
import type { Manifest } from '../../upstreams/manifest.ts'
import { loadTools } from '../../upstreams/mcp/load-tools.ts'
import { secretName } from '../../upstreams/request/credential.ts'
import { credentialEnv, readSealed } from '../../upstreams/secrets/stored-secrets.ts'
import { readDocument } from '../../upstreams/store.ts'
import { isLaptop } from '../console/find-session.ts'
import { refusing } from '../console/refuse.ts'

export type Source = z.output<typeof supplyRoutes.checkUpstream.body>['source']
type SourceDeps = Pick<Deps, 'config' | 'db' | 'secrets'>

/** Of a description that is fetched. Longer ones are added by the command line, which does not share a processor with calls. */
const MOST_BYTES = 8 * 2 ** 20

/** What a check found is published only if the description is still the same. */
export const digestOf = (document: string): string => createHash('sha256').update(document).digest('hex')

/** The environment of a manifest's credential: the process's, with the stored secret that it names. */
export async function envOf({ db, secrets }: Pick<Deps, 'db' | 'secrets'>, manifest: Manifest) {
  return credentialEnv(secretName(manifest.auth), process.env, await readSealed(db.kysely), secrets)
}

/**
 * The text of a description that is not an MCP server's own list. `privateHosts`: those that may be inside the operator's network.
 * Throws invalid_parameter in words, and not_found for an unknown version.
 */
export async function loadDescription(
  deps: SourceDeps,
  source: Exclude<Source, { from: 'server' }>,
  privateHosts: readonly string[],
): Promise<string> {
  if (source.from === 'text') return source.text.replace(/^\uFEFF/, '')
  if (source.from === 'version') {
    const stored = await readDocument(deps.db.kysely, source.id, source.version)
    if (stored === undefined) throw new AppError('not_found', 'There is no such version.')
    return stored
  }
  const { address } = source
  const privateNetworks = isLaptop(deps) || privateHosts.includes(hostOf(new URL(address)))
  try {
    return await fetchText(address, { privateNetworks, mostBytes: MOST_BYTES })
  } catch (error) {
    const inside =
      error instanceof BlockedAddress && !privateNetworks
        ? ' To read it from inside your network, paste it instead.'
        : ''
    throw new AppError('invalid_parameter', `${address} cannot be read: ${(error as Error).message}${inside}`, {
      param: 'source.address',
    })
  }
}

/** Asks an MCP server for what it offers. Throws invalid_parameter in words. */
export async function loadOffered(deps: SourceDeps, manifest: Manifest): Promise<string> {
  if (manifest.kind !== 'mcp') throw new AppError('invalid_parameter', 'Only an MCP server can list its own tools.')
  return refusing('invalid_parameter', async () =>
    loadTools(manifest, { env: await envOf(deps, manifest), secrets: deps.secrets }),
  )
}
