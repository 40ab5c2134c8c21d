import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { routes } from '#contract/routes.ts'
import type { Database } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { serve } from '../../http/envelope.ts'
import { AppError } from '../../http/errors.ts'
import { isUuid } from '../../http/uuid.ts'
import { signsIn } from '../account/has-access.ts'
import { buildExports } from './build-exports.ts'
import { isExportLink } from './export-link.ts'
import { listExports, requestExport } from './exports.ts'

const linkQuery = z.object({ expires: z.coerce.number().int(), signature: z.string().max(100) })

/** Exports of a person's data. Requested exports are built at once; a job builds what a restart left. */
export function registerExport(app: FastifyInstance, deps: Deps): void {
  let building: Promise<unknown> = Promise.resolve()
  app.addHook('onClose', () => building.then(() => {}))
  serve(app, deps, routes.listExports, async ({ ctx }) => ({ exports: await listExports(ctx) }))
  serve(app, deps, routes.requestExport, async ({ ctx }) => {
    const asked = await requestExport(ctx)
    building = building
      .then(() => buildExports(deps))
      .catch((error: Error) => deps.log.error({ error: error.message }, 'exports are left for the next run'))
    return { export: asked }
  })
  app.get('/api/account/exports/:id/file', async (request, reply) => {
    const { id } = request.params as { id: string }
    const found = await findReady(deps.db, id)
    const link = linkQuery.safeParse(request.query)
    if (
      !found ||
      !link.success ||
      !isExportLink(deps, found.userId, { exportId: id, ...link.data }, Date.now()) ||
      !(await signsIn(deps, found.userId))
    )
      throw new AppError('not_found', 'This link is no longer valid. Open Settings again for a new one.')
    const file = Readable.from(parts(deps.db, found.rowId))
    // Counts against the person's parallel downloads until the stream closes, complete or not.
    file.on('close', deps.limits.enter('downloads', found.userId))
    return reply
      .type('application/zip')
      .header('content-disposition', `attachment; filename="finmeter-export-${found.day}.zip"`)
      .header('content-length', found.bytes)
      .header('cache-control', 'private, no-store')
      .send(file)
  })
}

async function findReady(db: Database, id: string) {
  if (!isUuid(id)) return null
  const row = await db.kysely
    .selectFrom('data_exports')
    .select(['id', 'user_id', 'bytes', 'requested_at'])
    .where('public_id', '=', id)
    .where('status', '=', 'ready')
    .executeTakeFirst()
  return row
    ? { rowId: row.id, userId: row.user_id, bytes: row.bytes ?? 0, day: row.requested_at.toISOString().slice(0, 10) }
    : null
}

async function* parts(db: Database, exportId: number): AsyncGenerator<Buffer> {
  for (let n = 0; ; n += 1) {
    const row = await db.kysely
      .selectFrom('data_export_parts')
      .select('data')
      .where('export_id', '=', exportId)
      .where('n', '=', n)
      .executeTakeFirst()
    if (!row) return
    yield row.data
  }
}
