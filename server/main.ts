import { buildApp } from './app.ts'
import { compose } from './compose.ts'
import { type Config, ConfigError, loadConfig } from './config.ts'
import { lockDataDir } from './data-dir-lock.ts'
import { startEmbedded } from './db/embedded.ts'
import { startJobs } from './jobs.ts'
import { logConsole } from './log-console.ts'
import { startMetrics } from './metrics.ts'
import { localSecrets } from './secrets.ts'

/** Functions to stop on exit, last started first. */
const endings: (() => Promise<void> | void)[] = []
let ending: Promise<void> | undefined

try {
  await start(loadConfig(process.env))
} catch (error) {
  // Configuration and environment errors are messages for the operator, not stacks.
  process.stderr.write(
    error instanceof ConfigError
      ? `Finmeter cannot start:\n${error.message}\n`
      : `Finmeter cannot start: ${startFault(error as NodeJS.ErrnoException)}\n`,
  )
  await end()
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
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => void end().then(() => process.exit(0)))
  const databaseUrl = await database(config)
  const { deps, extensions, close } = await compose(config, databaseUrl)
  logConsole(deps.log)
  endings.push(close)
  const jobs = await startJobs(deps)
  endings.push(jobs.stop)
  const app = await buildApp(deps, extensions)
  endings.push(() => app.close())
  if (config.METRICS_PORT !== undefined) endings.push(await startMetrics(deps, config.METRICS_PORT))
  await app.listen({ host: config.HOST, port: config.PORT })
  process.stdout.write(`Finmeter ready at ${config.PUBLIC_URL}\n`)
}

async function database(config: Config): Promise<string> {
  if (config.DATABASE_URL && config.DATABASE_URL !== 'embedded') return config.DATABASE_URL
  const lock = lockDataDir(config.FINMETER_DATA_DIR)
  endings.push(lock.release)
  const server = await startEmbedded(config.FINMETER_DATA_DIR, localSecrets(config).databasePassword)
  endings.push(server.stop)
  return server.connectionString
}

function end(): Promise<void> {
  ending ??= (async () => {
    for (const step of endings.reverse()) await step()
  })()
  return ending
}
