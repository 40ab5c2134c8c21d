import { sql } from 'kysely'
import type { z } from 'zod'
import type { servedOperation, supplyRoutes } from '#contract/operator/supply-routes.ts'
import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../http/errors.ts'
import type { Tool } from '../../tools/define-tool.ts'
import type { JsonInput } from '../../tools/json-input.ts'
import { toolPriceText } from '../../tools/listing/price-text.ts'
import { parseManifest } from '../../upstreams/read-manifest.ts'
import { secretName, secretProblem } from '../../upstreams/request/credential.ts'
import { readSealed, storedName } from '../../upstreams/secrets/stored-secrets.ts'
import { readVersion } from '../../upstreams/store.ts'
import { upstreamTools } from '../../upstreams/upstream-tools.ts'
import { readUpstreamSummary } from './list-upstreams.ts'

type Shown = z.input<typeof supplyRoutes.getUpstream.data>

/** One upstream: its versions, newest first, and the operations of `wanted`, or of the version that is served. Throws not_found. */
export async function showUpstream({ db }: Pick<Deps, 'db'>, id: string, wanted?: number): Promise<Shown> {
  const upstream = await readUpstreamSummary(db, id)
  const { rows: versions } = await sql<{ version: number; created_at: Date; operations: number }>`
    select version, created_at, jsonb_array_length(operations -> 'operations')::int as operations
    from upstream_versions where upstream_id = ${id} order by version desc`.execute(db.kysely)
  return {
    upstream,
    versions: versions.map((one) => ({ ...one, created_at: one.created_at.toISOString() })),
    shown: await showVersion(db, id, wanted ?? upstream.published ?? upstream.newest),
  }
}

async function showVersion(db: Deps['db'], id: string, version: number): Promise<Shown['shown']> {
  const stored = await readVersion(db.kysely, id, version)
  if (!stored) throw new AppError('not_found', `${id} has no version ${version}.`)
  const manifest = parseManifest(stored.manifest)
  const tools = upstreamTools({ ...stored, manifest }, () => () => {
    throw new Error('This tool is only shown.')
  })
  return {
    version,
    manifest: stored.manifest as unknown as Record<string, unknown>,
    operations: tools.map((tool, index) => operationOf(tool, stored.operations[index]!.title)),
    credential: await credentialOf(db, secretName(manifest.auth)),
  }
}

const operationOf = (tool: Tool, title: string): z.input<typeof servedOperation> => ({
  id: tool.upstream!.operation,
  method: tool.rest!.method,
  path: tool.rest!.path,
  title: tool.title || title,
  tool: tool.name,
  price: toolPriceText(tool),
  over_mcp: tool.mcp !== false || tool.offer !== undefined,
  plans: [...(tool.plans ?? [])],
  input: (tool.input as JsonInput).jsonSchema,
  example: tool.example ?? null,
})

/** A variable is missing if this server lacks it; a stored secret is the same for all. */
async function credentialOf({ kysely }: Deps['db'], name: string | null): Promise<Shown['shown']['credential']> {
  if (name === null) return null
  const stored = storedName(name)
  if (stored === null) return { name, stored: false, missing: secretProblem(name, process.env) !== null }
  return { name: stored, stored: true, missing: !(await readSealed(kysely)).has(stored) }
}
