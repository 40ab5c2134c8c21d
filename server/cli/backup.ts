import { basename, join, resolve } from 'node:path'
import { deleteOldBackups } from '../backup/find-backup.ts'
import { noteBackupRun } from '../backup/note-run.ts'
import { writeBackup } from '../backup/write-backup.ts'
import { requireSecret } from '../config/require-secret.ts'
import { requireUsable } from '../db/migrate.ts'
import { createLog } from '../log.ts'
import { runOnDatabase } from './connect.ts'
import { print, printProgress } from './print.ts'
import { readWords, refuseWords } from './read-words.ts'

const usage = `npm run backup -- [--to <folder>] [--keep <number>]

It copies accounts, credits, usage, billing and published datasets while servers run.
--to is the folder for it, by default backups in FINMETER_DATA_DIR. --keep deletes all but that many backups there afterward.`

const { words, values } = readWords(usage, { to: { type: 'string' }, keep: { type: 'string' } })
if (words.length > 0) refuseWords(usage)

await runOnDatabase(async ({ config, db, secrets }) => {
  if (values.keep !== undefined && !/^[1-9]\d{0,5}$/.test(values.keep))
    throw new Error(`--keep must be a whole number from 1, not ${values.keep}.`)
  const startedAt = performance.now()
  const state = await requireUsable(db)
  if (state.kind === 'behind' && state.empty) throw new Error('The database is empty: there is nothing to back up.')
  // The secret can be checked only against tables that this release knows.
  if (state.kind !== 'behind') await requireSecret(db, secrets)
  const into = resolve(values.to ?? join(config.FINMETER_DATA_DIR, 'backups'))
  const say = printProgress
  const { path, manifest } = await writeBackup(into, { config, db, secrets, log: createLog(config), say })
  const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0)
  const bytes = [...manifest.tables, ...manifest.files].reduce((sum, one) => sum + one.bytes, 0)
  print(
    `${path}: everything as of ${manifest.takenAt}, ${rows.toLocaleString('en-US')} rows, ${(bytes / 1e6).toFixed(1)} MB, in ${((performance.now() - startedAt) / 1000).toFixed(1)} seconds.`,
  )
  if (state.kind !== 'behind') await noteBackupRun(db.kysely, { kind: 'backup', ok: true, detail: basename(path) })
  print(
    'Not included: KEYS_SECRET and other settings. The backup cannot be restored without KEYS_SECRET, so keep a copy elsewhere.',
  )
  if (values.keep === undefined) return
  for (const old of await deleteOldBackups(into, Number(values.keep))) print(`Deleted ${old}.`)
})
