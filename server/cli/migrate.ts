/** npm run migrate: brings the database to this release, as a start of the server does unless MIGRATE is off. */
import { migrate } from '../db/migrate.ts'
import { runOnDatabase } from './connect.ts'

await runOnDatabase(async ({ config, db }) => {
  for (const name of await migrate(db, { buckets: config.METER_BUCKETS, say: (line) => console.error(line) }))
    console.log(`applied ${name}`)
  console.log('The database is up to date.')
})
