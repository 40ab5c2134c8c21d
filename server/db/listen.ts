import { randomBytes, randomUUID } from 'node:crypto'
import type pg from 'pg'
import type { Logger } from 'pino'
import { DatabaseClient } from './client.ts'

export type NotificationHandler = (payload: string) => void

/** Receives NOTIFY for the whole process, proves every few seconds that it does, and reports when it cannot. */
export interface Listener {
  /** False from the moment the connection is known to be lost or deaf until it hears again: caches must not be trusted. */
  readonly connected: boolean
  on: (channel: string, handler: NotificationHandler) => void
  /** Called whenever the connection is lost: the handler must empty its cache. */
  onLost: (handler: () => void) => void
  close: () => Promise<void>
}

/** One connection listens. The other sends it tokens: what a session sends to itself would prove nothing. */
interface Pair {
  ear: pg.Client
  voice: pg.Client
  awaited: { token: string; heard: () => void } | null
}

interface ListenTimes {
  /** How often it proves that it hears. Tests set shorter values. */
  beatMs?: number
  /** How long a token may take. */
  hearMs?: number
}

const RETRY_MS = 500

/** Connected, but notifications do not arrive. */
class Deaf extends Error {}

/**
 * Connects, then reconnects automatically without limit and listens again on every channel. Throws if it cannot connect
 * or does not hear its own token: behind a transaction pooler, with a message that says so.
 */
export async function createListener(
  connectionString: string,
  log: Logger,
  { beatMs = 5_000, hearMs = 3_000 }: ListenTimes = {},
): Promise<Listener> {
  // A channel of its own: tokens wake no other process.
  const alive = `finmeter_alive_${randomBytes(6).toString('hex')}`
  const handlers = new Map<string, NotificationHandler[]>()
  const lostHandlers: (() => void)[] = []
  let current: Pair | null = null
  let closed = false
  let retry: NodeJS.Timeout | undefined

  const lost = (failed: Pair): void => {
    if (current !== failed) return
    current = null
    for (const handler of lostHandlers) handler()
    void end(failed)
    retryLater()
  }

  const connect = async (): Promise<void> => {
    const open = (name: string) =>
      new DatabaseClient({
        connectionString,
        application_name: name,
        keepAlive: true,
        connectionTimeoutMillis: 3_000,
        query_timeout: hearMs,
      })
    const fresh: Pair = { ear: open('finmeter-listen'), voice: open('finmeter-beat'), awaited: null }
    for (const client of [fresh.ear, fresh.voice]) {
      client.on('error', () => lost(fresh))
      client.on('end', () => lost(fresh))
    }
    fresh.ear.on('notification', ({ channel, payload }) => {
      if (channel === alive && fresh.awaited && fresh.awaited.token === payload) fresh.awaited.heard()
      for (const handler of handlers.get(channel) ?? []) handler(payload ?? '')
    })
    try {
      await Promise.all([fresh.ear.connect(), fresh.voice.connect()])
      for (const channel of [alive, ...handlers.keys()]) await fresh.ear.query(`listen ${channel}`)
      if (!(await hears(fresh, alive, hearMs))) throw new Deaf(await whyDeaf(fresh.ear))
      if (closed) throw new Error('closed')
      current = fresh
    } catch (error) {
      void end(fresh)
      throw error
    }
  }

  // One statement at a time: all listeners share the connection.
  let queue: Promise<unknown> = Promise.resolve()
  const listenOn = (channel: string): void => {
    queue = queue
      .then(() => current?.ear.query(`listen ${channel}`))
      .catch((error: Error) => {
        if (closed) return
        log.warn({ error: error.message, channel }, 'listen failed')
        if (current) lost(current)
      })
  }

  const retryLater = (): void => {
    if (!closed) retry = setTimeout(reconnect, RETRY_MS)
  }

  const reconnect = (): void => {
    connect().then(
      () => log.info('listening to the database again'),
      (error: Error) => {
        if (closed) return
        log.warn({ error: error.message }, 'cannot listen to the database')
        retryLater()
      },
    )
  }

  await connect().catch((error: Error) => {
    throw error instanceof Deaf ? error : new Error(`The database cannot be used: ${error.message}`, { cause: error })
  })
  // A half-open connection raises no error by itself, and one that a pooler has taken away still answers queries.
  const beat = setInterval(() => {
    const proving = current
    if (!proving || proving.awaited) return
    void hears(proving, alive, hearMs).then((heard) => {
      if (heard || current !== proving) return
      log.warn('the database does not deliver notifications')
      lost(proving)
    })
  }, beatMs)
  beat.unref()

  return {
    get connected() {
      return current !== null
    },
    on(channel, handler) {
      const known = handlers.get(channel)
      if (known) known.push(handler)
      else {
        handlers.set(channel, [handler])
        listenOn(channel)
      }
    },
    onLost: (handler) => void lostHandlers.push(handler),
    async close() {
      closed = true
      clearInterval(beat)
      clearTimeout(retry)
      const last = current
      current = null
      if (last) await end(last)
    },
  }
}

/** Throws, as a start of the server does, unless a session of this database hears what another one says. */
export async function requireNotifications(connectionString: string, log: Logger): Promise<void> {
  const listener = await createListener(connectionString, log)
  await listener.close()
}

/** Whether a token sent by one connection reaches the other in time. */
async function hears(pair: Pair, channel: string, hearMs: number): Promise<boolean> {
  const token = randomUUID()
  let late: NodeJS.Timeout | undefined
  try {
    return await new Promise<boolean>((done) => {
      pair.awaited = { token, heard: () => done(true) }
      // After a pause of this process, the timer comes first, and then what arrived meanwhile.
      late = setTimeout(() => setImmediate(() => done(false)), hearMs)
      pair.voice.query('select pg_notify($1, $2)', [channel, token]).catch(() => done(false))
    })
  } finally {
    clearTimeout(late)
    pair.awaited = null
  }
}

/** Poolers answer a connection with a process number of their own. */
async function whyDeaf(ear: pg.Client & { processID?: number }): Promise<string> {
  const { rows } = await ear.query<{ pid: number }>('select pg_backend_pid() as pid')
  return rows[0]?.pid === ear.processID
    ? 'The database did not deliver a notification to this process, so revoked API keys would continue to work. Check what lies between Finmeter and PostgreSQL: it must pass on LISTEN and NOTIFY.'
    : 'DATABASE_URL leads to a connection pooler that gives each transaction another session, such as PgBouncer with pool_mode=transaction. Notifications, session settings and prepared statements are lost there. Use pool_mode=session for this database, or connect to PostgreSQL directly.'
}

const end = (pair: Pair): Promise<unknown> => Promise.allSettled([pair.ear.end(), pair.voice.end()])
