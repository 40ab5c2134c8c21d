import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { type EmbeddedPostgres, type EmbeddedProcess, killTree, startEmbedded } from './embedded.ts'

export interface KeptPostgres {
  /** Resolves with the connection string, which stays valid when the server is restarted. */
  started: Promise<string>
  /** A clean stop; after `limitMs` its processes are killed. */
  stop: (limitMs: number) => Promise<void>
  /** Kills its processes at once, also while it starts. */
  kill: () => void
}

interface KeepOptions {
  dataDir: string
  password: string
  log: Logger
  /** It ended and could not be started again, for the reason given. */
  gaveUp: (reason: string) => void
}

/** Processes of a killed server need a moment to end, and keep its memory until then. */
const ATTEMPTS = 40
const RETRY_MS = 250
/** A server that keeps ending has a reason that a restart does not remove. */
const MOST_RESTARTS = 5
const RESTARTS_WITHIN_MS = 60_000

/** Starts the embedded PostgreSQL, and starts it again on the same port whenever it ends by itself. */
export function keepEmbedded({ dataDir, password, log, gaveUp }: KeepOptions): KeptPostgres {
  let server: EmbeddedPostgres | undefined
  let child: EmbeddedProcess | undefined
  let stopping = false
  let restarts: number[] = []

  const start = async (port?: number): Promise<void> => {
    server = await startEmbedded(dataDir, password, {
      ...(port !== undefined && { port }),
      spawned: (spawned) => {
        child = spawned
        if (stopping) killTree(spawned)
      },
    })
    const { connectionString, exited } = server
    void exited.then((output) => {
      if (!stopping) return restart(Number(new URL(connectionString).port), output)
    })
  }

  const restart = async (port: number, output: string): Promise<void> => {
    const now = Date.now()
    restarts = [...restarts.filter((at) => at > now - RESTARTS_WITHIN_MS), now]
    let reason = output
    log.error({ output: output.slice(-2_000) }, 'the embedded PostgreSQL ended: starting it again')
    for (let attempt = 1; attempt <= ATTEMPTS && restarts.length <= MOST_RESTARTS; attempt++) {
      try {
        await start(port)
        log.warn('the embedded PostgreSQL is back')
        return
      } catch (error) {
        reason = String(error)
      }
      await sleep(RETRY_MS)
      if (stopping) return
    }
    gaveUp(reason)
  }

  return {
    started: start().then(() => server!.connectionString),
    async stop(limitMs) {
      stopping = true
      await server?.stop(limitMs)
    },
    kill() {
      stopping = true
      if (child) killTree(child)
    },
  }
}
