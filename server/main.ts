import type { Logger } from 'pino'
import { buildApp } from './app.ts'
import { compose } from './compose.ts'
import { type Config, ConfigError, loadConfig } from './config/config.ts'
import { removedSettings } from './config/removed-settings.ts'
import { lockDataDir } from './data-dir/lock.ts'
import { keepEmbedded } from './db/keep-embedded.ts'
import { offerOperator } from './features/operator/console/offer-operator.ts'
import { startJobs } from './jobs.ts'
import { createLog } from './log.ts'
import { logConsole } from './log-console.ts'
import { startMetrics } from './metrics/start-metrics.ts'
import { localSecrets } from './secrets/secrets.ts'
import { createStopper, type Stopper } from './stop.ts'
import { isWorker, runWorkers, workerNumber } from './workers.ts'

let stopper: Stopper | undefined

try {
  const config = loadConfig(process.env)
  if (config.WORKERS > 1 && !isWorker()) process.exit(await runWorkers(config, () => announce(config)))
  await start(config)
} catch (error) {
  // Configuration and environment errors are messages for the operator, not stacks.
  process.stderr.write(
    error instanceof ConfigError
      ? `Finmeter cannot start:\n${error.message}\n`
      : `Finmeter cannot start: ${startFault(error as NodeJS.ErrnoException)}\n`,
  )
  await stopper?.stop(1)
  process.exit(1)
}

/** The error as a message that says what to do. */
function startFault(error: NodeJS.ErrnoException & { port?: number; address?: string }): string {
  const place = `Port ${error.port} of ${error.address}`
  if (error.syscall !== 'listen') return error.message
  if (error.code === 'EADDRINUSE')
    return `${place} is in use. Stop the program that uses it, or choose another PORT (for metrics, METRICS_PORT).`
  if (error.code === 'EACCES') return `${place} needs privileges that this user lacks. Choose a PORT above 1023.`
  return error.message
}

async function start(config: Config): Promise<void> {
  const log = createLog(config)
  if (workerNumber() === 0) for (const warning of removedSettings(process.env)) log.warn(warning)
  const service = { draining: false }
  stopper = createStopper({
    config,
    log,
    drain: () => {
      service.draining = true
    },
  })
  const { add } = stopper
  const databaseUrl = await database(config, log, stopper)
  const { deps, extensions, close } = await compose(config, databaseUrl, { service })
  logConsole(deps.log)
  add({ stage: 'work', name: 'the database and the calls that wait for it', end: close })
  if (config.sandboxByDefault) await offerOperator(deps.db.kysely)
  const jobs = await startJobs(deps)
  add({ stage: 'requests', name: 'running jobs', end: jobs.stop })
  const app = await buildApp(deps, extensions)
  add({
    stage: 'requests',
    name: 'open requests',
    end: () => app.close(),
    cut: () => app.server.closeAllConnections(),
  })
  if (config.METRICS_PORT !== undefined)
    add({
      stage: 'requests',
      name: 'the metrics endpoint',
      end: await startMetrics(deps, config.METRICS_PORT + workerNumber()),
    })
  await app.listen({ host: config.HOST, port: config.PORT })
  if (!isWorker()) announce(config)
}

function announce({ PUBLIC_URL }: Config): void {
  process.stdout.write(`Finmeter ready at ${PUBLIC_URL}\n`)
}

async function database(config: Config, log: Logger, { add, atExit, stop }: Stopper): Promise<string> {
  if (config.DATABASE_URL && config.DATABASE_URL !== 'embedded') return config.DATABASE_URL
  const lock = lockDataDir(config.FINMETER_DATA_DIR)
  const postgres = keepEmbedded({
    dataDir: config.FINMETER_DATA_DIR,
    password: localSecrets(config).databasePassword,
    log,
    gaveUp(reason) {
      process.stderr.write(`The embedded PostgreSQL ended and cannot be started again: ${reason}\n`)
      void stop(1)
    },
  })
  atExit(postgres.kill)
  atExit(lock.release)
  add({ stage: 'database', name: 'the embedded PostgreSQL', end: postgres.stop })
  return postgres.started
}
