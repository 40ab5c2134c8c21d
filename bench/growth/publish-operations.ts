import type { Database } from '../../server/db/database.ts'
import { createToolRegistry } from '../../server/features/tools/registry.ts'
import { addVersion } from '../../server/features/upstreams/add-version.ts'
import { prepareVersion } from '../../server/features/upstreams/prepare-version.ts'
import { parseManifest } from '../../server/features/upstreams/read-manifest.ts'
import { productTools } from '../../server/product-tools.ts'
import { document, PRICE_PATH, UPSTREAM_ID } from '../upstream/acme.ts'

const REQUESTS = 4_000
/** More than a run has under way at once; one account may have half of it. */
const CONCURRENCY = 10_000

const pathOf = (n: number): string => `${PRICE_PATH}/kind${n}`

/** Sells an API of so many operations at `upstream` (a port), each of them that of bench/upstream, for 1 credit per call. */
export async function publishOperations(db: Database, operations: number, upstream: number): Promise<void> {
  const manifest = parseManifest({
    id: UPSTREAM_ID,
    kind: 'openapi',
    document: 'acme.json',
    base: `http://127.0.0.1:${upstream}`,
    private_hosts: ['127.0.0.1'],
    defaults: { credits: 1 },
    limits: { concurrency: CONCURRENCY },
  })
  const tools = await createToolRegistry(productTools, db)
  await addVersion(db.kysely, await prepareVersion(manifest, documentOf(operations), {}, tools), false)
}

function documentOf(operations: number): string {
  const { paths, ...head } = JSON.parse(document) as { paths: Record<string, { get: object }> }
  const { get } = paths[`${PRICE_PATH}/{symbol}`]!
  const made = Array.from({ length: operations }, (_, n) => [
    `${pathOf(n)}/{symbol}`,
    { get: { ...get, operationId: `getPrice${n}` } },
  ])
  return JSON.stringify({ ...head, paths: Object.fromEntries(made) })
}

/** GET requests for all keys and all operations, as text on the wire. */
export const operationRequests = (keys: string[], operations: number): string[] =>
  Array.from(
    { length: Math.max(REQUESTS, operations, keys.length) },
    (_, n) =>
      `GET /v1/${UPSTREAM_ID}${pathOf(n % operations)}/ACME HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${keys[n % keys.length]}\r\n\r\n`,
  )
