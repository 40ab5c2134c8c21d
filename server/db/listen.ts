import pg from 'pg'
import type { Logger } from 'pino'

export type NotificationHandler = (payload: string) => void

/** One connection that receives NOTIFY for the whole process and reports when it cannot. */
export interface Listener {
  /** False from the moment the connection is known to be lost until it listens again: caches must not be trusted. */
  readonly connected: boolean
  on: (channel: string, handler: NotificationHandler) => void
  /** Called whenever the connection is lost: the handler must empty its cache. */
  onLost: (handler: () => void) => void
  close: () => Promise<void>
}

const RETRY_MS = 500
const PING_MS = 5_000

/** Connects (throws if it cannot), then reconnects automatically without limit and listens again on every channel. */
export async function createListener(connectionString: string, log: Logger): Promise<Listener> {
  const handlers = new Map<string, NotificationHandler[]>()
  const lostHandlers: (() => void)[] = []
  let client: pg.Client | null = null
  let closed = false
  let retry: NodeJS.Timeout | undefined

  const lost = (failed: pg.Client): void => {
    if (client !== failed) return
    client = null
    for (const handler of lostHandlers) handler()
    void failed.end().catch(() => {})
    if (!closed) retry = setTimeout(reconnect, RETRY_MS)
  }

  const connect = async (): Promise<void> => {
    const fresh = new pg.Client({
      connectionString,
      application_name: 'finmeter-listen',
      keepAlive: true,
      connectionTimeoutMillis: 3_000,
    })
    fresh.on('error', () => lost(fresh))
    fresh.on('end', () => lost(fresh))
    fresh.on('notification', ({ channel, payload }) => {
      for (const handler of handlers.get(channel) ?? []) handler(payload ?? '')
    })
    await fresh.connect()
    for (const channel of handlers.keys()) await fresh.query(`listen ${channel}`)
    client = fresh
  }

  // One statement at a time: all listeners share the connection.
  let queue: Promise<unknown> = Promise.resolve()
  const listenOn = (channel: string): void => {
    queue = queue
      .then(() => client?.query(`listen ${channel}`))
      .catch((error: Error) => {
        if (closed) return
        log.warn({ error: error.message, channel }, 'listen failed')
        if (client) lost(client)
      })
  }

  const reconnect = (): void => {
    connect().then(
      () => log.info('listening to the database again'),
      (error: Error) => {
        log.warn({ error: error.message }, 'cannot listen to the database')
        if (!closed) retry = setTimeout(reconnect, RETRY_MS)
      },
    )
  }

  // A half-open connection raises no error by itself, so it is probed.
  const ping = setInterval(() => {
    const current = client
    if (!current) return
    const late = setTimeout(() => lost(current), RETRY_MS * 4)
    current.query('select 1').then(
      () => clearTimeout(late),
      () => {
        clearTimeout(late)
        lost(current)
      },
    )
  }, PING_MS)
  ping.unref()

  await connect()
  return {
    get connected() {
      return client !== null
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
      clearInterval(ping)
      clearTimeout(retry)
      const last = client
      client = null
      await last?.end().catch(() => {})
    },
  }
}
