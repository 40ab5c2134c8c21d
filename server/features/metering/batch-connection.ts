import pg from 'pg'
import { DatabaseClient } from '../../db/client.ts'
import type { Session } from '../../db/database.ts'
import type { BatchRow, BatchValues } from './batch.ts'

/** PostgreSQL refused the statement and rolled it back: nothing of the batch is recorded. `sqlState` is the reason. */
export class BatchRefused extends Error {
  override name = 'BatchRefused'
  readonly sqlState: string

  constructor(message: string, sqlState: string) {
    super(message)
    this.sqlState = sqlState
  }
}

/** The batch was never sent, for lack of a connection. Nothing of it is recorded. */
export class BatchNotSent extends Error {
  override name = 'BatchNotSent'
}

/** The batch was sent but the response is missing: it may or may not be recorded. */
export class BatchUnknown extends Error {
  override name = 'BatchUnknown'
}

export interface BatchTimeouts {
  connectMs: number
  /** PostgreSQL stops waiting for an account's lock. */
  lockMs: number
  /** PostgreSQL cancels the statement. */
  statementMs: number
  /** We stop waiting for the response and drop the connection. More than `statementMs`. */
  answerMs: number
}

const columns = `(extract(epoch from at) * 1000000)::bigint as at_micros, balances, unlimited, outcomes, from_credits,
  from_payg, payg_left, first_receipts`
const commitText = `select ${columns}
  from meter_commit($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)`

const holdsText = `select ${columns}, returned
  from meter_commit_holds($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)`

// Columns stay text: the response is parsed by hand.
const asText = { getTypeParser: () => (text: string) => text }

/** A plan that was made while the tables were small must not stay when they have grown. */
const KEEP_PLANS_MS = 60_000

/** A dedicated connection for commits: opened when needed, closed after any error. */
export class BatchConnection {
  readonly #session: () => Session
  readonly #timeouts: BatchTimeouts
  readonly #keepPlansMs: number
  #plansUntilMs = 0
  #client: pg.Client | null = null
  #connectionString: string | null = null

  /** `session` is read before each statement: a bucket may move to another node. Plans are made anew after `keepPlansMs`. */
  constructor(session: () => Session, timeouts: BatchTimeouts, keepPlansMs = KEEP_PLANS_MS) {
    this.#session = session
    this.#timeouts = timeouts
    this.#keepPlansMs = keepPlansMs
  }

  /**
   * Sends a batch. The same id, on any connection, never applies twice. Throws one of the errors above.
   */
  async send(batch: string, { holds, values }: BatchValues): Promise<BatchRow> {
    const statement = holds
      ? { name: 'meter_commit_holds', text: holdsText }
      : { name: 'meter_commit', text: commitText }
    const rows = await this.#query<BatchRow>({ ...statement, values: [batch, ...values], types: asText })
    const row = rows[0]
    if (!row) throw new BatchUnknown('meter_commit answered no row')
    return row
  }

  /** Makes sure that a batch whose callers got 503 charges and holds nothing. Repeatable. */
  async void(batch: string): Promise<void> {
    await this.#query({ text: 'select meter_void($1)', values: [batch] })
  }

  async close(): Promise<void> {
    const client = this.#client
    this.#client = null
    await client?.end().catch(() => {})
  }

  async #query<R extends pg.QueryResultRow>(query: pg.QueryConfig): Promise<R[]> {
    const session = this.#session()
    if (this.#client && this.#connectionString !== session.connectionString) this.#drop(this.#client)
    const client = this.#client ?? (await this.#connect(session))
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new BatchUnknown('no answer in time')), this.#timeouts.answerMs)
    })
    try {
      const nowMs = performance.now()
      if (nowMs >= this.#plansUntilMs) {
        this.#plansUntilMs = nowMs + this.#keepPlansMs
        await Promise.race([client.query('discard plans'), late])
      }
      return (await Promise.race([client.query<R>(query), late])).rows
    } catch (error) {
      const outcome = classify(error)
      if (!(outcome instanceof BatchRefused)) this.#drop(client)
      throw outcome
    } finally {
      clearTimeout(timer)
    }
  }

  async #connect({ searchPath, connectionString }: Session): Promise<pg.Client> {
    const { connectMs, lockMs, statementMs } = this.#timeouts
    try {
      this.#client = await openCommitSession(
        searchPath,
        {
          connectionString,
          application_name: 'finmeter-meter',
          connectionTimeoutMillis: connectMs,
        },
        { lockMs, statementMs },
        (client) => this.#drop(client),
      )
    } catch (error) {
      throw new BatchNotSent(String(error))
    }
    this.#connectionString = connectionString
    return this.#client
  }

  #drop(client: pg.Client): void {
    if (this.#client === client) this.#client = null
    void client.end().catch(() => {})
  }
}

/** A session with the settings of commits, in the bucket of `searchPath`. `lost` is called with its client when the connection breaks. */
export async function openCommitSession(
  searchPath: string,
  config: pg.ClientConfig,
  { lockMs, statementMs }: Pick<BatchTimeouts, 'lockMs' | 'statementMs'>,
  lost: (client: pg.Client) => void,
): Promise<pg.Client> {
  const client = new DatabaseClient({ ...config, keepAlive: true })
  client.on('error', () => lost(client))
  try {
    await client.connect()
    // Commits are durable whatever the database's default is. The commit accesses rows by key only. By itself PostgreSQL would plan the
    // statements of small batches anew each time, which costs it more than the batch.
    await client.query(
      `select set_config('statement_timeout', $1, false), set_config('lock_timeout', $2, false), set_config('enable_seqscan', 'off', false),
         set_config('enable_hashjoin', 'off', false), set_config('enable_mergejoin', 'off', false),
         set_config('jit', 'off', false), set_config('plan_cache_mode', 'force_generic_plan', false), set_config('synchronous_commit', case current_setting('synchronous_commit') when 'off' then 'on' else current_setting('synchronous_commit') end, false),
         set_config('search_path', $3, false)`,
      [String(statementMs), String(lockMs), searchPath],
    )
  } catch (error) {
    void client.end().catch(() => {})
    throw error
  }
  return client
}

/** What an error means for the batch that was sent. */
function classify(error: unknown): BatchRefused | BatchNotSent | BatchUnknown {
  if (!(error instanceof pg.DatabaseError) || !error.code)
    return error instanceof BatchUnknown ? error : new BatchUnknown(String(error))
  // A session may end after its commit (synchronous replication): only an ordinary error proves the rollback.
  if (/^(08|57P)/.test(error.code) || /FATAL|PANIC/.test(error.severity ?? '')) return new BatchUnknown(error.message)
  // A standby (after failover), or a pooler that lost our statement: a new session is needed.
  if (error.code === '25006' || error.code === '26000') return new BatchNotSent(error.message)
  return new BatchRefused(error.message, error.code)
}
