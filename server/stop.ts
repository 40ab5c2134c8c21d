import { constants } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Config } from './config/config.ts'

/**
 * In this order: `requests` finish what is in progress, `work` closes what they used, `database` stops the embedded
 * server. The value is the share of the time (after the drain) that is over when a stage is no longer waited for.
 */
const stages = { requests: 0.6, work: 0.8, database: 0.95 } as const

export interface Ending {
  stage: keyof typeof stages
  /** For the log, if it does not end in time. */
  name: string
  /** `leftMs`: how long it is waited for. */
  end: (leftMs: number) => Promise<void> | void
  /** Called when it has not ended in time. */
  cut?: () => void
}

export interface Stopper {
  add: (ending: Ending) => void
  /** Called when the process exits, also when it is cut short. Must be synchronous. */
  atExit: (last: () => void) => void
  /** Ends everything that was added, within SHUTDOWN_SECONDS whatever hangs, then exits with `code`. Repeatable. */
  stop: (code: number) => Promise<never>
}

interface StopParts {
  config: Pick<Config, 'SHUTDOWN_SECONDS' | 'DRAIN_SECONDS'>
  log: Logger
  /** Called when the process begins to stop, before the drain. */
  drain: () => void
}

/** Ctrl-C in `npm start` reaches this process twice: from the terminal and from npm. That is one wish to stop. */
const SAME_WISH_MS = 300

/**
 * Stops this process on SIGTERM, SIGINT and SIGHUP: exit code 0, or 1 if SHUTDOWN_SECONDS were over. A second signal exits
 * at once with 128 + its number.
 */
export function createStopper({ config, log, drain }: StopParts): Stopper {
  const endings: Ending[] = []
  let stopping: Promise<never> | undefined
  let firstSignalAt: number | undefined

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      const now = performance.now()
      firstSignalAt ??= now
      if (now - firstSignalAt < SAME_WISH_MS) void stopAfterDrain()
      else process.exit(128 + constants.signals[signal])
    })

  const stopAfterDrain = async (): Promise<void> => {
    if (stopping) return
    stopping = run(0, config.DRAIN_SECONDS)
    await stopping
  }

  const run = async (code: number, drainSeconds: number): Promise<never> => {
    const limitMs = config.SHUTDOWN_SECONDS * 1000
    const late = setTimeout(() => {
      log.error('the server did not stop within SHUTDOWN_SECONDS: exiting')
      process.exit(1)
    }, limitMs)
    drain()
    if (drainSeconds > 0) await sleep(drainSeconds * 1000)
    const startedAt = performance.now()
    const timeMs = limitMs - drainSeconds * 1000
    for (const [stage, share] of Object.entries(stages))
      await endAll(
        endings.filter((ending) => ending.stage === stage).reverse(),
        Math.max(0, startedAt + timeMs * share - performance.now()),
      )
    clearTimeout(late)
    process.exit(code)
  }

  const endAll = async (some: Ending[], leftMs: number): Promise<void> => {
    const running = new Set(some)
    const ends = some.map(async (ending) => {
      try {
        await ending.end(leftMs)
      } catch (error) {
        log.error({ error: String(error) }, `stopping ${ending.name} failed`)
      }
      running.delete(ending)
    })
    const over = new AbortController()
    await Promise.race([Promise.all(ends), sleep(leftMs, undefined, { signal: over.signal }).catch(() => {})])
    over.abort()
    for (const { name, cut } of running) {
      log.warn({ waitedMs: Math.round(leftMs) }, `stopping without waiting any longer for ${name}`)
      cut?.()
    }
  }

  return {
    add: (ending) => void endings.push(ending),
    atExit: (last) => void process.on('exit', last),
    stop: (code) => (stopping ??= run(code, 0)),
  }
}
