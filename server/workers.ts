import cluster from 'node:cluster'
import type { Config } from './config/config.ts'

/** A worker that ended is replaced after this time, so that one that cannot start does not use up the machine. */
const REPLACE_AFTER_MS = 1_000

/** Whether this process is one of WORKERS. */
export const isWorker = (): boolean => cluster.isWorker

/** The number of this process among its WORKERS, from 0. A replacement has the number of the process it replaces. */
export const workerNumber = (): number => Number(process.env.FINMETER_WORKER ?? 0)

/**
 * Runs WORKERS server processes that share the port, and replaces those that end. `ready` is called once, when all of
 * them listen. The first one that ends before it listens ends all: its own message says why. Resolves when all
 * have ended after a signal or such a failure, with the exit code.
 */
export function runWorkers({ WORKERS, PORT }: Pick<Config, 'WORKERS' | 'PORT'>, ready: () => void): Promise<number> {
  const numbers = new Map<number, number>()
  const listening = new Set<number>()
  let code = 0
  let stopping = false
  let complete = false

  const stop = (signal: NodeJS.Signals): void => {
    stopping = true
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill(signal)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop(signal))

  const start = (number: number): void => {
    if (stopping) return
    const worker = cluster.fork({ FINMETER_WORKER: String(number) })
    numbers.set(worker.id, number)
    worker.on('listening', ({ port }) => {
      if (port !== PORT) return
      if (listening.add(number).size < WORKERS || complete) return
      complete = true
      ready()
    })
  }
  return new Promise((done) => {
    cluster.on('exit', (worker, exitCode) => {
      const number = numbers.get(worker.id) ?? 0
      numbers.delete(worker.id)
      if (stopping || !complete) {
        code ||= exitCode ?? 1
        if (!stopping) stop('SIGTERM')
        if (Object.keys(cluster.workers ?? {}).length === 0) done(code)
      } else setTimeout(start, REPLACE_AFTER_MS, number)
    })
    for (let number = 0; number < WORKERS; number++) start(number)
  })
}
