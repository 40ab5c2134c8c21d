import { bucketSchema } from '../../db/bucket-schema.ts'
import { eachBucket } from '../../db/buckets.ts'
import type { Deps } from '../../deps.ts'
import { RETAIN_DAYS } from '../metering/partitions.ts'
import { archiveDays } from './archive-days.ts'
import { forgetDays } from './forget-days.ts'

/** The job: moves due days of every bucket to the archive and removes the days past retention. Does nothing without one. */
export async function archiveUsage({
  archive,
  config,
  db,
  log,
  tools,
}: Pick<Deps, 'archive' | 'config' | 'db' | 'log' | 'tools'>): Promise<void> {
  if (!archive) return
  const hotDays = config.USAGE_HOT_DAYS
  await eachBucket(db, async (handle, id) => {
    const bucket = bucketSchema(id)
    const forgotten = await forgetDays(handle, archive, RETAIN_DAYS)
    const toolName = (toolId: number) => tools.current().nameOf(toolId) ?? null
    const archived =
      hotDays === undefined ? [] : await archiveDays({ db: handle, bucket, store: archive, hotDays, toolName })
    if (archived.length + forgotten.length > 0) log.info({ bucket, archived, forgotten }, 'days of calls archived')
  })
}
