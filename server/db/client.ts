import pg from 'pg'
import { readHosts } from './hosts.ts'

interface Place {
  url: string
  host: string
  port: number
}

/** Longest wait for each host. Two hosts fit into the time that a call waits for its commit. */
const ASK_MS = 1_500

/** Searches in progress: those who connect at the same time share one. Keys are lists of hosts. */
const searches = new Map<string, Promise<Place>>()
/** Where the last search ended: asked first, so that connects agree even if two servers accept writes. */
const primaries = new Map<string, string>()
/** The open connections to primaries. Errors are reported as for any connection that breaks. */
const watched = new Map<DatabaseClient, { key: string; url: string; leave: () => void }>()

/**
 * A client of pg that also understands several hosts and `target_session_attrs`. It connects to the first host that accepts
 * writes, and breaks its connection if that server becomes read-only, or if a later search ends at another server: one
 * that lost its network answers nothing, and would keep its queries waiting for many minutes. With one host it is pg's
 * own client.
 */
export class DatabaseClient extends pg.Client {
  readonly #urls: string[]
  readonly #mustWrite: boolean

  constructor(config: pg.ClientConfig = {}) {
    const { urls, mustWrite } = readHosts(config.connectionString ?? '')
    super(mustWrite ? { ...config, connectionString: urls[0] } : config)
    this.#urls = urls
    this.#mustWrite = mustWrite
    // A connection that breaks fails its queries. An error that nobody listens to would end the process, and a database
    // that dies as it lets us in is faster than any listener of a pool.
    this.on('error', () => {})
  }

  override connect(): Promise<pg.Client>
  override connect(callback: ((error: Error) => void) | ((error: null, client: pg.Client) => void)): void
  override connect(callback?: (error: never, client: never) => void): Promise<pg.Client> | undefined {
    const done = this.#mustWrite ? this.#connectToPrimary() : super.connect()
    if (!callback) return done
    const report = callback as (error: Error | null, client?: pg.Client) => void
    done.then(() => report(null, this), report)
    return undefined
  }

  async #connectToPrimary(): Promise<pg.Client> {
    const key = this.#urls.join(' ')
    const { url, host, port } = await findPrimary(key, this.#urls)
    const { stream } = this.connection
    // A pool that no longer waits has destroyed the socket, which would come back to life.
    if (stream.destroyed) throw new Error('The search for the primary took too long')
    Object.assign(this, { host, port })
    await super.connect()
    this.connection.on('parameterStatus', ({ parameterName, parameterValue }: Record<string, string>) => {
      if (/^(in_hot_standby|default_transaction_read_only)$/.test(parameterName!) && parameterValue === 'on')
        stream.destroy()
    })
    watched.set(this, { key, url, leave: () => stream.destroy() })
    this.once('end', () => watched.delete(this))
    return this
  }
}

function findPrimary(key: string, urls: string[]): Promise<Place> {
  const known = searches.get(key)
  if (known) return known
  const search = askEach(key, urls).finally(() => searches.delete(key))
  searches.set(key, search)
  return search
}

async function askEach(key: string, urls: string[]): Promise<Place> {
  const last = primaries.get(key)
  const refusals: string[] = []
  for (const url of urls.toSorted((a, b) => Number(b === last) - Number(a === last))) {
    const client = new pg.Client({
      connectionString: url,
      application_name: 'finmeter-find',
      connectionTimeoutMillis: ASK_MS,
      query_timeout: ASK_MS,
    })
    client.on('error', () => {})
    const { host, port } = client
    try {
      await client.connect()
      const { rows } = await client.query<{ readOnly: string }>(
        `select current_setting('transaction_read_only') as "readOnly"`,
      )
      if (rows[0]?.readOnly === 'off') {
        primaries.set(key, url)
        for (const other of watched.values()) if (other.key === key && other.url !== url) other.leave()
        return { url, host, port }
      }
      refusals.push(`${host}:${port} is read-only`)
    } catch (error) {
      refusals.push(`${host}:${port}: ${(error as Error).message}`)
    } finally {
      void client.end().catch(() => {})
    }
  }
  throw new Error(`No host in DATABASE_URL accepts writes: ${refusals.join('; ')}`)
}
