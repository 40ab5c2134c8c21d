import { drill } from '../backup/drill.ts'
import { findBackup } from '../backup/find-backup.ts'
import { readManifest } from '../backup/manifest.ts'
import { noteBackupRun } from '../backup/note-run.ts'
import { requireSameSecret } from '../backup/require-same-secret.ts'
import { restoreBackup } from '../backup/restore-backup.ts'
import { loadConfig } from '../config/config.ts'
import { checkDatabase } from './checks/database.ts'
import { createReport } from './checks/report.ts'
import { type Connection, connect, connectToRunning } from './connect.ts'
import { print, printError, printProgress } from './print.ts'
import { readWords, refuseWords } from './read-words.ts'

const usage = `npm run restore -- <backup>                                     restores it into an empty database
npm run restore -- --drill <folder> [--max-age-hours <number>]  tests the newest backup in a temporary database

<backup> is what npm run backup wrote, or a folder of several: then the newest.`

const { words, values } = readWords(usage, { drill: { type: 'boolean' }, 'max-age-hours': { type: 'string' } })
const [given] = words
const maxAge = values['max-age-hours']

if (!given || words.length > 1 || (maxAge !== undefined && (!values.drill || !(Number(maxAge) > 0)))) refuseWords(usage)
try {
  if (values.drill) await tryDrill(given)
  else await restore(given)
} catch (error) {
  printError(error as Error, values.drill ? 'WRONG  ' : '')
  process.exitCode = 1
}

/** The outcome is noted in the installation's database, if that can be reached from here. */
async function tryDrill(folder: string): Promise<void> {
  const config = loadConfig(process.env)
  const note = async (ok: boolean, detail: string) => {
    const connection = await connectToRunning(process.env, config).catch(() => null)
    await connection?.db.kysely
      .transaction()
      .execute((tx) => noteBackupRun(tx, { kind: 'drill', ok, detail }))
      .catch(() => {})
    await connection?.close()
  }
  try {
    const outcome = await drill(folder, config, maxAge === undefined ? null : Number(maxAge))
    await note(true, outcome)
    print(`ok     ${outcome}`)
  } catch (error) {
    await note(false, (error as Error).message)
    throw error
  }
}

async function restore(from: string): Promise<void> {
  const config = loadConfig(process.env)
  const path = await findBackup(from)
  const manifest = await readManifest(path)
  requireSameSecret(config, manifest)
  printProgress(`Restoring ${path}, made by Finmeter ${manifest.release}.`)
  let connection: Connection | undefined
  try {
    connection = await connect(process.env, config)
    await restoreBackup(path, manifest, { config, db: connection.db, say: printProgress })
    const report = createReport(print)
    await checkDatabase(connection, report)
    print(
      `Restored as of ${manifest.takenAt}. Later changes are not included. Email and webhooks that were due then are sent again. Restore the settings separately.`,
    )
    if (report.failures() > 0) process.exitCode = 1
  } finally {
    await connection?.close()
  }
}
