/** npm run migrate: brings the database to this release, as every start of the server does. */
import { runCommand } from './connect.ts'

await runCommand(async () => console.log('The database is up to date.'))
