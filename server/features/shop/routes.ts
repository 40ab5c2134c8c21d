import type { FastifyInstance } from 'fastify'
import type { Deps } from '../../deps.ts'
import { sendNotFound } from '../../http/error-handler.ts'
import { readAsset } from './store.ts'

/** Even if one that runs should pass the checks, a browser that opens it runs nothing. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

/** Serves logos at the hash of their content: those of every version, because mails that were sent show them. */
export function registerShop(app: FastifyInstance, { db }: Deps): void {
  app.get<{ Params: { file: string } }>('/shop/:file', { exposeHeadRoute: true }, async (request, reply) => {
    const hash = /^([0-9a-f]{32})\.(svg|png|jpg|webp)$/.exec(request.params.file)?.[1]
    const asset = hash === undefined ? undefined : await readAsset(db.kysely, hash)
    if (!asset) return sendNotFound(request, reply)
    return reply
      .headers({
        'cache-control': 'public, max-age=31536000, immutable',
        'content-security-policy': POLICY,
        // Mail programs in a browser show it on their own pages.
        'cross-origin-resource-policy': 'cross-origin',
      })
      .type(asset.type)
      .send(asset.body)
  })
}
