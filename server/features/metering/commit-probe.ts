import pg from 'pg'
import type { Session } from '../../db/database.ts'
import { newBatchId } from './batch.ts'
import { openCommitSession } from './batch-connection.ts'

export interface CommitProbe {
  /** Whether a commit would succeed now. Resolves within `answerMs`; all who ask within a second share one attempt. */
  canCommit: () => Promise<boolean>
  close: () => Promise<void>
}

interface ProbeOptions {
  /** The session of one bucket stands for all on the same node. */
  session: Session
  /** Tests set shorter values. */
  answerMs?: number
  everyMs?: number
  abandonMs?: number
}

/** An attempt. `good` settles when PostgreSQL answers, however late. */
interface Attempt {
  startedAtMs: number
  good: Promise<boolean>
  settled: boolean
}

/** More than `work_mem` can be, at its least. */
const SPILLED_ROWS = 8_000

/**
 * Does what a commit does, and leaves nothing: runs `meter_commit` for an account that does not exist and takes it back, writes a temporary file
 * (a full disk refuses it even while tables have room), and commits a message to the log (a real flush, which also waits for
 * synchronous standbys). A single string, so that it is one round trip.
 */
const probeText = (batch: string): string => `begin;
  savepoint before;
  select meter_commit('${batch}', '{0}', '{0}', '{0}', '{0}', '{0}', '{0}', '{1}', '{0}', '{0}', '{0}', '{0}', '{t}', '{1}', '{0}', null, null);
  rollback to savepoint before;
  select count(*) from generate_series(1, ${SPILLED_ROWS});
  select pg_logical_emit_message(true, 'finmeter', 'ready');
  commit`

const SESSION = 'finmeter-ready'

/** A probe for each node. `sessionOf` is asked each time: a bucket may move. */
export function createNodeProbes(sessionOf: (bucket: number) => Session) {
  const probes = new Map<string, CommitProbe>()
  const probeOf = (bucket: number): CommitProbe => {
    const session = sessionOf(bucket)
    const probe = probes.get(session.connectionString) ?? createCommitProbe({ session })
    probes.set(session.connectionString, probe)
    return probe
  }
  return {
    /** Whether a commit would succeed now on at least one of the buckets' nodes. Resolves within a second. */
    async anyCanCommit(buckets: number[]): Promise<boolean> {
      const answers = await Promise.all([...new Set(buckets.map(probeOf))].map((probe) => probe.canCommit()))
      return answers.includes(true)
    },
    close: async (): Promise<void> => void (await Promise.all([...probes.values()].map((probe) => probe.close()))),
  }
}

/** Tries the commit path at most once in `everyMs`, on a connection of its own. */
export function createCommitProbe({
  session,
  answerMs = 900,
  everyMs = 1_000,
  abandonMs = 10_000,
}: ProbeOptions): CommitProbe {
  let client: pg.Client | null = null
  /** The session of an abandoned attempt: it may hang in its commit, where no timeout reaches it. */
  let abandonedPid: number | null = null
  let attempt: Attempt | null = null

  const drop = (failed: pg.Client): void => {
    if (client === failed) client = null
    void failed.end().catch(() => {})
  }

  const connect = async (): Promise<pg.Client> => {
    const fresh = await openCommitSession(
      session.searchPath,
      {
        connectionString: session.connectionString,
        application_name: SESSION,
        connectionTimeoutMillis: abandonMs,
        query_timeout: abandonMs,
      },
      { statementMs: abandonMs, lockMs: answerMs },
      drop,
    )
    client = fresh
    await fresh.query(`select set_config('work_mem', '64kB', false), set_config('temp_tablespaces', '', false)`)
    if (abandonedPid !== null)
      await fresh.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where pid = $1 and application_name = $2',
        [abandonedPid, SESSION],
      )
    abandonedPid = null
    return fresh
  }

  const tryOnce = async (): Promise<boolean> => {
    try {
      await (client ?? (await connect())).query(probeText(newBatchId()))
      return true
    } catch (error) {
      if (client) {
        if (!(error instanceof pg.DatabaseError))
          abandonedPid = (client as pg.Client & { processID?: number }).processID ?? null
        drop(client)
      }
      return false
    }
  }

  const start = (): Attempt => {
    const started: Attempt = { startedAtMs: performance.now(), good: tryOnce(), settled: false }
    void started.good.then(() => {
      started.settled = true
    })
    return started
  }

  return {
    async canCommit() {
      const now = performance.now()
      // An attempt that hangs is not joined by another: each would hold a session of PostgreSQL.
      if (attempt === null || (attempt.settled && now - attempt.startedAtMs >= everyMs)) attempt = start()
      const leftMs = Math.max(0, attempt.startedAtMs + answerMs - now)
      let late: NodeJS.Timeout | undefined
      const tooLate = new Promise<false>((done) => {
        late = setTimeout(() => done(false), leftMs)
      })
      return Promise.race([attempt.good, tooLate]).finally(() => clearTimeout(late))
    },
    async close() {
      const last = client
      client = null
      await last?.end().catch(() => {})
    },
  }
}
