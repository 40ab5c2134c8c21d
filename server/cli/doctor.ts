/** npm run doctor: is this installation in order? One line a question, exit code 1 when any answer is no. */
import { sql } from 'kysely'
import { livePlans } from '../features/billing/list-plans.ts'
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

/** A charge must be on disk when its answer leaves; these two settings decide it. */
async function durability({ db }: Connection): Promise<void> {
  for (const name of ['fsync', 'synchronous_commit']) {
    const { rows } = await sql<{ value: string }>`select current_setting(${name}) as value`.execute(db.kysely)
    report(
      rows[0]?.value === 'on',
      `${name} is ${rows[0]?.value}${rows[0]?.value === 'on' ? '' : ': charges can be lost in a power cut; set it to on'}`,
    )
  }
}

/** A paid plan that names no credits gets 1,000 by rule, which is seldom what its seller means. */
async function plans({ db }: Connection): Promise<void> {
  const catalogue = await livePlans(db.kysely)
  report(catalogue.length > 0, `${catalogue.length} plans in the catalogue`)
  for (const plan of catalogue) {
    if (plan.reliesOnDefaultCredits)
      report(false, `plan ${plan.name} names no credits and gets 1,000: set metadata.credits`)
  }
}
