/**
 * npm run doctor: checks the installation, one line per check. Exit code 1 when any check fails. `--production` also
 * checks what only matters there, and asks every service that the configuration names.
 */
import { parseArgs } from 'node:util'
import { sql } from 'kysely'
import { type Config, readConfig, settings } from '../config.ts'
import { livePlans } from '../features/billing/plans/list-plans.ts'
import { checkInvariants } from '../features/metering/invariants.ts'
import { checkPeers } from './checks/peers.ts'
import { checkSettings } from './checks/production-settings.ts'
import { createReport } from './checks/report.ts'
import { checkSecret } from './checks/secret.ts'
import { unknownSettings } from './checks/unknown-settings.ts'
import { type Connection, connect } from './connect.ts'

const { values } = parseArgs({ options: { production: { type: 'boolean', default: false } } })
const { production } = values
const report = createReport(console.log)

const { config, problems } = readConfig(production ? { ...process.env, NODE_ENV: 'production' } : process.env)
if (production) await checkProduction()
else if (config && problems.length === 0) await checkInstallation(config)
else {
  console.error(`The configuration is not valid:\n${problems.join('\n')}`)
  process.exitCode = 1
}
if (report.failures() > 0) process.exitCode = 1

async function checkInstallation(valid: Config): Promise<void> {
  report.ok('configuration is valid')
  for (const text of unknown()) report.note(text)
  await checkDatabase(valid)
}

async function checkProduction(): Promise<void> {
  for (const problem of problems) report.wrong(problem)
  if (problems.length === 0) report.ok('configuration is valid')
  for (const text of unknown()) report.wrong(text)
  if (!config) return
  checkSettings(config, process.env, report)
  await checkPeers(config, report)
  if (config.DATABASE_URL) await checkDatabase(config)
}

function unknown(): string[] {
  return unknownSettings(Object.keys(process.env), Object.keys(settings)).map(
    ({ name, meant }) => `${name} is not a setting of Finmeter: ${meant ? `did you mean ${meant}?` : 'remove it'}`,
  )
}

async function checkDatabase(config: Config): Promise<void> {
  let connection: Connection | undefined
  try {
    connection = await connect(process.env, config)
    report.ok('database answers, migrations are applied')
    await checkSecret(connection, report)
    await durability(connection)
    await plans(connection)
    const violations = await checkInvariants(connection.db)
    for (const violation of violations) report.wrong(`credits: ${JSON.stringify(violation)}`)
    if (violations.length === 0) report.ok('credits: every invariant holds')
  } catch (error) {
    report.wrong((error as Error).message)
  } finally {
    await connection?.close()
  }
}

/** A charge must be durable before its response is sent; these two settings decide it. */
async function durability({ db }: Connection): Promise<void> {
  for (const name of ['fsync', 'synchronous_commit']) {
    const { rows } = await sql<{ value: string }>`select current_setting(${name}) as value`.execute(db.kysely)
    const text = `${name} is ${rows[0]?.value}`
    if (rows[0]?.value === 'on') report.ok(text)
    else report.wrong(`${text}: charges can be lost in a power cut; set it to on`)
  }
}

/** A paid plan without credits gets 1,000 by rule, which its seller rarely means. */
async function plans({ db }: Connection): Promise<void> {
  const catalog = await livePlans(db.kysely)
  const text = `${catalog.length} plans in the catalog`
  if (catalog.length > 0) report.ok(text)
  else report.wrong(text)
  for (const plan of catalog) {
    if (plan.reliesOnDefaultCredits)
      report.wrong(`plan ${plan.name} has no credits set and gets 1,000: set metadata.credits`)
  }
}
