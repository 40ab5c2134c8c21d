import type { Database } from '../../../db/database.ts'
import { addVersion } from '../../../features/upstreams/add-version.ts'
import { prepareVersion } from '../../../features/upstreams/prepare-version.ts'
import { parseManifest } from '../../../features/upstreams/read-manifest.ts'

/** Prices of the upstream's operations, as the proof computes them itself. */
export const PRICE = 1
export const ORDER = 2
export const NEWS = 3
export const MOST_ITEMS = 50
export const searchCredits = (items: number): number => Math.ceil(items / 10)
export const MOST_TICKS = 40
export const tickCredits = (ticks: number): number => Math.ceil(ticks / 5)

const answers = { 200: { description: 'ok' } }
const count = [{ name: 'count', in: 'query', required: true, schema: { type: 'integer' } }]
const symbol = [{ name: 'symbol', in: 'path', required: true, schema: { type: 'string' } }]
const document = JSON.stringify({
  openapi: '3.0.3',
  info: { title: 'Proof', version: '1' },
  paths: {
    '/prices/{symbol}': { get: { operationId: 'price', parameters: symbol, responses: answers } },
    '/search': { get: { operationId: 'search', parameters: count, responses: answers } },
    '/orders': { post: { operationId: 'order', responses: { 201: { description: 'placed' } } } },
    '/ticks': { get: { operationId: 'ticks', parameters: count, responses: answers } },
    '/news': { get: { operationId: 'news', parameters: count, responses: answers } },
  },
})

/** Publishes the operations at `url`, the short time-outs of which keep a silent upstream from slowing the proof down. */
export async function publishUpstream(db: Database, url: string): Promise<void> {
  const stream = { stream: true, stream_ms: 8_000 }
  const manifest = parseManifest({
    id: 'proof',
    kind: 'openapi',
    document: 'proof.json',
    base: url,
    private_hosts: ['127.0.0.1'],
    defaults: { credits: PRICE, timeout_ms: 1_500 },
    operations: {
      search: { credits: { rows: '/items', per: 10, credits: 1, most: searchCredits(MOST_ITEMS) } },
      order: { credits: ORDER },
      ticks: { credits: { rows: '', per: 5, credits: 1, most: tickCredits(MOST_TICKS) }, ...stream },
      news: { credits: NEWS, ...stream },
    },
    limits: { concurrency: 500, breaker: { errors: 30, within_s: 1, rest_s: 1 } },
  })
  await addVersion(db.kysely, await prepareVersion(manifest, document, {}, { problems: () => [] }), false)
}
