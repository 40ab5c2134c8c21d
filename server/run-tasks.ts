import { Logger, type Runner, run, type TaskList } from 'graphile-worker'
import { DatabaseError, type Pool, type PoolClient } from 'pg'

/**
 * Runs the tasks on the crontab's schedule (UTC) and whenever a job is added. Instances on one database share the jobs.
 * `warn` receives each failed job.
 */
export async function runTasks(
  pool: Pool,
  taskList: TaskList,
  crontab: string,
  warn: (message: string) => void,
): Promise<Runner> {
  return run({
    pgPool: patient(pool),
    taskList,
    crontab,
    concurrency: 2,
    noHandleSignals: true,
    logger: new Logger(() => (level, message) => {
      if (level === 'error' || level === 'warning') warn(message)
    }),
  })
}

/** cannot_connect_now: graphile-worker retries it for hours. */
const comeBackLater = '57P03'

/**
 * The same pool, whose lost connections get a code that graphile-worker retries. It drops the promise that reports a
 * job's end: without a retry, a connection lost at that moment would be an unhandled rejection and end the process.
 */
function patient(pool: Pool): Pool {
  // With a callback it is the listener's connection, which graphile-worker renews.
  const connect = (callback?: Parameters<Pool['connect']>[0]) =>
    callback ? pool.connect(callback) : pool.connect().then(patientClient, waitable)
  return new Proxy(pool, { get: (target, name) => (name === 'connect' ? connect : method(target, name)) })
}

function patientClient(client: PoolClient): PoolClient {
  const query = (...args: [string]) => client.query(...args).catch(waitable)
  return new Proxy(client, { get: (target, name) => (name === 'query' ? query : method(target, name)) })
}

function method(target: object, name: string | symbol): unknown {
  const value: unknown = Reflect.get(target, name)
  return typeof value === 'function' ? value.bind(target) : value
}

/** Connection errors have no SQLSTATE, or 57P01, 57P02 (ended by the operator) and 08xxx. */
function waitable(error: Error & { code?: string }): never {
  if (!(error instanceof DatabaseError) || /^(57P0[12]|08)/.test(error.code ?? '')) error.code = comeBackLater
  throw error
}
