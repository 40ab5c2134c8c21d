import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../http/errors.ts'
import { addVersion } from '../../upstreams/add-version.ts'
import { findUpstream } from '../../upstreams/find-upstream.ts'
import { findVersion } from '../../upstreams/find-version.ts'
import { type Manifest, settingsOf } from '../../upstreams/manifest.ts'
import type { Price } from '../../upstreams/manifest-price.ts'
import { type Prepared, prepareVersion } from '../../upstreams/prepare-version.ts'
import { parseManifest } from '../../upstreams/read-manifest.ts'
import { secretName } from '../../upstreams/request/credential.ts'
import { credentialEnv, readSealed } from '../../upstreams/secrets/stored-secrets.ts'
import { changeUpstream } from '../../upstreams/store.ts'
import type { OperatorContext } from '../console/context.ts'
import { type Act, runAct } from '../console/run-act.ts'

interface NewPrice {
  tool: string
  /** The version that the form was filled from. */
  version: number
  credits: number
  /** The highest price of a call, where it varies; null: as before. */
  most: number | null
}

/**
 * Changes the price of an operation: its upstream's manifest with the new price becomes the next version, and is served. Returns
 * upstream and version. Throws not_found, invalid_parameter for a tool that comes with the product or a price that the manifest
 * cannot have, and conflict when another version was published meanwhile.
 */
export async function setPrice(
  ctx: OperatorContext,
  act: Pick<Act, 'act_id' | 'reason'>,
  price: NewPrice,
): Promise<{ upstream: string; version: number }> {
  const { deps } = ctx
  const found = deps.tools.current().get(price.tool)?.tool
  if (!found) throw new AppError('not_found', 'There is no tool with this name.')
  const { upstream } = found
  if (!upstream)
    throw new AppError('invalid_parameter', `${price.tool} is a built-in tool, so its price cannot be changed.`)
  const prepared = await prepare(deps, upstream.id, price, upstream.operation)
  let version: number | undefined
  // Under the lock of the upstream: of two operators at once, the second sees what the first has published.
  await runAct(ctx, { ...act, action: 'price.set', target: price.tool }, (tx) =>
    changeUpstream(tx, upstream.id, async () => {
      const { published } = await findUpstream(tx, upstream.id)
      if (published !== price.version)
        throw new AppError(
          'conflict',
          `Version ${published} of ${upstream.id} was published after you opened this page. Reload the page.`,
          { versions: { yours: price.version, current: published } },
        )
      version = await addVersion(tx, prepared.next, false)
      return {
        before: { credits: prepared.before, version: price.version },
        after: { credits: prepared.after, version },
      }
    }),
  )
  const { published } = await findUpstream(deps.db.kysely, upstream.id)
  return { upstream: upstream.id, version: version ?? published! }
}

/** Everything about the next version before it is stored. */
async function prepare(
  { db, secrets, tools }: Deps,
  id: string,
  price: NewPrice,
  operation: string,
): Promise<{ next: Prepared; before: Price; after: Price }> {
  const stored = await findVersion(db.kysely, id, price.version)
  if (!stored) throw new AppError('not_found', `${id} has no version ${price.version}.`)
  const { manifest, document } = stored
  const before = settingsOf(manifest, operation)?.credits ?? manifest.defaults.credits ?? 0
  const after = newPrice(before, price)
  try {
    const next = parseManifest(withPrice(manifest, operation, after))
    const env = credentialEnv(secretName(next.auth), process.env, await readSealed(db.kysely), secrets)
    return { next: await prepareVersion(next, document, env, tools), before, after }
  } catch (error) {
    throw new AppError('invalid_parameter', (error as Error).message, {}, { cause: error })
  }
}

/** The same rule with another amount. */
function newPrice(before: Price, { credits, most }: NewPrice): Price {
  if (typeof before === 'number') {
    if (most !== null) throw new AppError('invalid_parameter', 'most: this price is fixed, so it has no maximum.')
    return credits
  }
  const highest = most === null ? {} : { most }
  return 'kib' in before ? { ...before, kib: credits, ...highest } : { ...before, credits, ...highest }
}

/** The manifest with the price of one operation: where `settingsOf` looks for it first. */
function withPrice(manifest: Manifest, operation: string, credits: Price): unknown {
  if (manifest.kind !== 'mcp' || !operation.includes('/'))
    return {
      ...manifest,
      operations: { ...manifest.operations, [operation]: { ...manifest.operations[operation], credits } },
    }
  if (!operation.startsWith('prompts/')) return { ...manifest, resources: { ...manifest.resources, credits } }
  const name = operation.slice('prompts/'.length)
  const named = { ...manifest.prompts?.named, [name]: { ...manifest.prompts?.named[name], credits } }
  return { ...manifest, prompts: { ...manifest.prompts, named } }
}
