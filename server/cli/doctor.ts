import { type Config, ConfigError, readConfig, settings } from '../config/config.ts'
import { createStripeAccess } from '../features/billing/stripe/client.ts'
import { openShop } from '../features/shop/read-shop-file.ts'
import { unnamedShop } from '../features/shop/shop.ts'
import { servedShop } from '../features/shop/store.ts'
import { checkAgentPayments, checkUndecided } from './checks/agent-payments.ts'
import { checkDatabase, checkName } from './checks/database.ts'
import { checkPeers } from './checks/peers.ts'
import { checkSettings } from './checks/production-settings.ts'
import { createReport } from './checks/report.ts'
import { checkSender } from './checks/sender.ts'
import { checkTaxes } from './checks/taxes.ts'
import { unknownSettings } from './checks/unknown-settings.ts'
import { type Connection, connect } from './connect.ts'
import { print, printError } from './print.ts'
import { readWords, refuseWords } from './read-words.ts'

const usage = `npm run doctor [-- --production]

It checks the installation, a line for each check, and ends with code 1 when one fails.
--production also checks what matters only there, and asks every service that the configuration names.`

const { words, values } = readWords(usage, { production: { type: 'boolean', default: false } })
if (words.length > 0) refuseWords(usage)
const { production } = values
const report = createReport(print)

const { config, problems } = readConfig(production ? { ...process.env, NODE_ENV: 'production' } : process.env)
if (production) await checkProduction()
else if (config && problems.length === 0) await checkInstallation(config)
else {
  printError(new ConfigError(problems.join('\n')))
  process.exitCode = 1
}
if (report.failures() > 0) process.exitCode = 1

async function checkInstallation(valid: Config): Promise<void> {
  report.ok('configuration is valid')
  for (const text of unknown()) report.note(text)
  await checkConnected(valid)
}

async function checkProduction(): Promise<void> {
  for (const problem of problems) report.wrong(problem)
  if (problems.length === 0) report.ok('configuration is valid')
  for (const text of unknown()) report.wrong(text)
  if (!config) return
  checkSettings(config, process.env, report)
  await checkPeers(config, report)
  if (config.DATABASE_URL) await checkConnected(config)
}

/** Of the shop that is served, or of the settings. */
async function checkSenderOf({ db, config }: Connection): Promise<void> {
  const served = await servedShop(db.kysely)
  const unnamed = unnamedShop(config)
  const { sender } = served ? openShop(served, unnamed) : unnamed
  await checkSender({ address: sender.address, selector: config.MAIL_DKIM_SELECTOR }, report)
}

function unknown(): string[] {
  return unknownSettings(Object.keys(process.env), Object.keys(settings)).map(
    ({ name, meant }) => `${name} is not a setting of Finmeter: ${meant ? `did you mean ${meant}?` : 'remove it'}`,
  )
}

async function checkConnected(config: Config): Promise<void> {
  let connection: Connection | undefined
  try {
    connection = await connect(process.env, config)
    await checkDatabase(connection, report)
    await checkTaxes({ stripe: createStripeAccess(config, null), db: connection.db }, report)
    await checkAgentPayments(connection, report)
    await checkUndecided(connection, report)
    if (production || config.NODE_ENV === 'production') await checkName(connection, report)
    if (production && config.SMTP_URL !== undefined) await checkSenderOf(connection)
  } catch (error) {
    report.wrong((error as Error).message)
  } finally {
    await connection?.close()
  }
}
