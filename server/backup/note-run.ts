import type { Queryable } from '../db/database.ts'

/** Notes a backup or a restore drill for the console. */
export async function noteBackupRun(
  db: Queryable,
  { kind, ok, detail }: { kind: 'backup' | 'drill'; ok: boolean; detail: string },
): Promise<void> {
  await db
    .insertInto('backup_runs')
    .values({ kind, ok, detail: detail.slice(0, 500) })
    .execute()
}
