/** npm run migrate: brings the database to this release, as a start of the server does unless MIGRATE is off. */
import { migrate } from '../db/migrate.ts'
import { runOnDatabase } from './connect.ts'
import { print, printProgress } from './print.ts'

await runOnDatabase(async ({ config, db }) => {
  for (const name of await migrate(db, { buckets: config.METER_BUCKETS, say: printProgress })) print(`applied ${name}`)
  print('The database is up to date.')
})
