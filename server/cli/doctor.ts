/** npm run doctor: checks the installation, one line per check. Exit code 1 when any check fails. */
import { sql } from 'kysely'
import { livePlans } from '../features/billing/plans/list-plans.ts'
import { checkInvariants } from '../features/metering/invariants.ts'
import { type Connection, runCommand } from './connect.ts'

let failures = 0
const report = (good: boolean, text: string): void => {
  if (!good) failures += 1
  console.log(`${good ? 'ok    ' : 'WRONG '} ${text}`)
}

await runCommand(async (connection) => {
  report(true, 'configuration is valid, database answers, migrations are applied')
  await durability(connection)
  await plans(connection)
  const violations = await checkInvariants(connection.db)
  for (const violation of violations) report(false, `credits: ${JSON.stringify(violation)}`)
  if (violations.length === 0) report(true, 'credits: every invariant holds')
})
if (failures > 0) process.exitCode = 1

/** A charge must be durable before its response is sent; these two settings decide it. */
async function durability({ db }: Connection): Promise<void> {
  for (const name of ['fsync', 'synchronous_commit']) {
    const { rows } = await sql<{ value: string }>`select current_setting(${name}) as value`.execute(db.kysely)
    report(
      rows[0]?.value === 'on',
      `${name} is ${rows[0]?.value}${rows[0]?.value === 'on' ? '' : ': charges can be lost in a power cut; set it to on'}`,
    )
  }
}

/** A paid plan without credits gets 1,000 by rule, which its seller rarely means. */
async function plans({ db }: Connection): Promise<void> {
  const catalog = await livePlans(db.kysely)
  report(catalog.length > 0, `${catalog.length} plans in the catalog`)
  for (const plan of catalog) {
    if (plan.reliesOnDefaultCredits)
      report(false, `plan ${plan.name} has no credits set and gets 1,000: set metadata.credits`)
  }
}
