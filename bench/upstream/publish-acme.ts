import type { Connection } from '../../server/cli/connect.ts'
import { createToolRegistry } from '../../server/features/tools/registry.ts'
import { addVersion } from '../../server/features/upstreams/add-version.ts'
import { prepareVersion } from '../../server/features/upstreams/prepare-version.ts'
import { parseManifest } from '../../server/features/upstreams/read-manifest.ts'
import { productTools } from '../../server/product-tools.ts'
import { CREDENTIAL, document, PRICE_PATH, UPSTREAM_ID } from './acme.ts'

/** More than a run has under way at once; one account may have half of it. */
const CONCURRENCY = 10_000
const STREAM_MS = 600_000
const LOOK_AGAIN_MS = 50

/** Publishes the API at `upstream` (a port) for 1 credit per call or stream, and resolves when the server at `port` serves it. */
export async function publishAcme(
  { db }: Connection,
  { upstream, port, key, env }: { upstream: number; port: number; key: string; env: NodeJS.ProcessEnv },
): Promise<void> {
  const manifest = parseManifest({
    id: UPSTREAM_ID,
    kind: 'openapi',
    document: 'acme.json',
    base: `http://127.0.0.1:${upstream}`,
    auth: { header: 'X-Api-Key', secret: CREDENTIAL },
    private_hosts: ['127.0.0.1'],
    defaults: { credits: 1 },
    operations: { watch: { stream: true, stream_ms: STREAM_MS } },
    limits: { concurrency: CONCURRENCY },
  })
  const prepared = await prepareVersion(manifest, document, env, await createToolRegistry(productTools, db))
  await addVersion(db.kysely, prepared, false)
  // Free, and not recorded.
  const url = `http://127.0.0.1:${port}/v1/${UPSTREAM_ID}${PRICE_PATH}/ACME?dry_run=true`
  while ((await fetch(url, { headers: { authorization: `Bearer ${key}` } })).status !== 200)
    await new Promise((done) => setTimeout(done, LOOK_AGAIN_MS))
}
