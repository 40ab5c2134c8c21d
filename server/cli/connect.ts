import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Config, loadConfig } from '../config/config.ts'
import { requireSecret } from '../config/require-secret.ts'
import { openBuckets } from '../db/buckets.ts'
import type { Database } from '../db/database.ts'
import { startEmbedded } from '../db/embedded.ts'
import { requireNotifications } from '../db/listen.ts'
import { requireMigrated } from '../db/migrate.ts'
import { createLog } from '../log.ts'
import { localSecrets, type Secrets, secretsOf } from '../secrets/secrets.ts'
import { printError, printProgress, Usage } from './print.ts'

export interface Connection {
  config: Config
  db: Database
  databaseUrl: string
  secrets: Secrets
  close: () => Promise<void>
}

/**
 * The installation's database for an operator's command: DATABASE_URL, the embedded server of a running Finmeter, or an
 * embedded server started for the duration of the command. It does not migrate the database; `requireMigrated` checks that.
 */
export async function connect(env: NodeJS.ProcessEnv, config = loadConfig(env)): Promise<Connection> {
  const source = await databaseUrl()
  try {
    // Not behind a transaction pooler: commands take locks that belong to a session.
    await requireNotifications(source.url, createLog(config))
  } catch (error) {
    await source.stop()
    throw error
  }
  const db = await openBuckets(source.url, 4, (error) => printProgress(`database: ${error.message}`))
  const secrets = secretsOf(config)
  return {
    config,
    db,
    databaseUrl: source.url,
    secrets,
    async close() {
      await db.close()
      await source.stop()
    },
  }

  async function databaseUrl(): Promise<{ url: string; stop: () => Promise<void> }> {
    if (!isEmbedded(config)) return { url: config.DATABASE_URL!, stop: async () => {} }
    const password = localSecrets(config).databasePassword
    const port = runningPort(config.FINMETER_DATA_DIR)
    if (port) return { url: `postgres://finmeter:${password}@127.0.0.1:${port}/finmeter`, stop: async () => {} }
    const server = await startEmbedded(config.FINMETER_DATA_DIR, password)
    return { url: server.connectionString, stop: server.stop }
  }
}

/** The same, but null where only starting an embedded server would give one. */
export const connectToRunning = async (env: NodeJS.ProcessEnv, config: Config): Promise<Connection | null> =>
  isEmbedded(config) && runningPort(config.FINMETER_DATA_DIR) === undefined ? null : connect(env, config)

/** Whether the database is the one in FINMETER_DATA_DIR. */
export const isEmbedded = ({ DATABASE_URL }: Pick<Config, 'DATABASE_URL'>): boolean =>
  DATABASE_URL === undefined || DATABASE_URL === 'embedded'

/** Line 4 of postmaster.pid is the port. The file survives a crash, so the process is checked too. */
function runningPort(dataDir: string): number | undefined {
  const file = join(resolve(dataDir), 'postgres', 'postmaster.pid')
  if (!existsSync(file)) return undefined
  const [pid, , , port] = readFileSync(file, 'utf8').split('\n')
  try {
    process.kill(Number(pid), 0)
    return Number(port)
  } catch {
    return undefined
  }
}

/**
 * Runs an operator's command on a migrated database, under its own secret. An error becomes one message and exit code 1.
 */
export const runCommand = (command: (connection: Connection) => Promise<void>): Promise<void> =>
  runOnDatabase(async (connection) => {
    await requireMigrated(connection.db)
    await requireSecret(connection.db, connection.secrets)
    await command(connection)
  })

/** Runs a command on a database in any state. */
export async function runOnDatabase(command: (connection: Connection) => Promise<void>): Promise<void> {
  let connection: Connection | undefined
  try {
    connection = await connect(process.env)
    await command(connection)
  } catch (error) {
    printError(error as Error)
    process.exitCode = error instanceof Usage ? 2 : 1
  } finally {
    await connection?.close()
  }
}
