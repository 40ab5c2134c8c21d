import { drill } from '../backup/drill.ts'
import { findBackup } from '../backup/find-backup.ts'
import { readManifest } from '../backup/manifest.ts'
import { requireSameSecret } from '../backup/require-same-secret.ts'
import { restoreBackup } from '../backup/restore-backup.ts'
import { loadConfig } from '../config/config.ts'
import { checkDatabase } from './checks/database.ts'
import { createReport } from './checks/report.ts'
import { type Connection, connect } from './connect.ts'
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
  if (values.drill)
    print(`ok     ${await drill(given, loadConfig(process.env), maxAge === undefined ? null : Number(maxAge))}`)
  else await restore(given)
} catch (error) {
  printError(error as Error, values.drill ? 'WRONG  ' : '')
  process.exitCode = 1
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
