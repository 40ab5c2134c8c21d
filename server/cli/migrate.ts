import { migrate } from '../db/migrate.ts'
import { runOnDatabase } from './connect.ts'
import { print, printProgress } from './print.ts'
import { readWords, refuseWords } from './read-words.ts'

const usage = `npm run migrate

It brings the database to this release, as a start of the server does unless MIGRATE is off.`
if (readWords(usage, {}).words.length > 0) refuseWords(usage)

await runOnDatabase(async ({ config, db }) => {
  for (const name of await migrate(db, { buckets: config.METER_BUCKETS, say: printProgress })) print(`applied ${name}`)
  print('The database is up to date.')
})
