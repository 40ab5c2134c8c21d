import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../db/database.ts'
import { settleAccounts } from '../../features/credits/settle.ts'
import { rollUsage } from '../../features/metering/fold.ts'
import type { Cluster } from './cluster.ts'
import type { Seen } from './seen.ts'
import type { Manner, ProofUpstream } from './upstream/start-upstream.ts'

export interface Fault {
  name: string
  inject: () => Promise<void>
}

export interface FaultParts {
  cluster: Cluster
  db: Database
  /** Ends one of the servers with SIGKILL and starts another in its place. */
  killServer: () => Promise<void>
  upstream: ProofUpstream
  seen: Seen
  /** Streams that are being read from the server that `killServer` ends next, and from all. */
  streaming: () => { next: number; all: number }
  /** True when the run has failed. */
  failed: () => boolean
}

/** Streams or calls that a fault of the upstream should meet. */
const MET = 5
/** Streams that are cut together: one alone may just end. */
const AT_ONCE = 3

/** Waits until the connection works again, as after a restart of PostgreSQL. */
export async function untilAnswered<T>(ask: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask()
    } catch (error) {
      if (attempt === 100) throw error
      await sleep(100)
    }
  }
}

/** Sets the clock of the database so many hours ahead. */
export const moveClock = (db: Database, hours: number) =>
  untilAnswered(() =>
    db.pool.query(
      `insert into app_clock (offset_by) values (make_interval(hours => $1))
         on conflict (only_row) do update set offset_by = excluded.offset_by`,
      [hours],
    ),
  )

/** Every fault that a meter may meet. Each ends with everything restored. */
export function faults(parts: FaultParts): Fault[] {
  const { cluster, db, killServer } = parts
  const { wire } = cluster
  const backends = (signal: 'terminate' | 'cancel') =>
    untilAnswered(() =>
      db.pool.query(
        `select pg_${signal}_backend(pid) from pg_stat_activity where application_name = 'finmeter-meter' and datname = current_database()`,
      ),
    )
  const list: Fault[] = [
    { name: 'kill -9 of a server', inject: killServer },
    { name: 'kill -9 of PostgreSQL', inject: cluster.crash },
    { name: 'kill of the committing backend', inject: async () => void (await backends('terminate')) },
    { name: 'cancellation of the committing statement', inject: async () => void (await backends('cancel')) },
    { name: 'all connections cut', inject: async () => wire.cut() },
    {
      name: 'responses lost after the commit, then the connection',
      async inject() {
        wire.loseAnswers()
        await sleep(300)
        wire.mend()
        wire.cut()
      },
    },
    {
      name: 'responses lost for longer than calls wait',
      async inject() {
        wire.loseAnswers()
        await sleep(9_500)
        wire.mend()
        wire.cut()
      },
    },
    { name: 'clock 11 hours forward', inject: async () => void (await moveClock(db, 11)) },
    { name: 'closed hours rolled up', inject: async () => void (await untilAnswered(() => rollUsage(db))) },
    { name: 'clock back', inject: async () => void (await moveClock(db, 0)) },
    {
      name: 'settlement during traffic',
      inject: async () => void (await untilAnswered(() => settleAccounts(db))),
    },
  ]
  list.push(...upstreamFaults(parts))
  if (cluster.fillDisk) {
    const fill = cluster.fillDisk
    list.push({ name: 'disk full', inject: () => fill(() => sleep(1_500)) })
  }
  return list
}

/** The upstream fails while its calls and streams are under way, or our server does. */
function upstreamFaults({ killServer, upstream, seen, streaming, failed }: FaultParts): Fault[] {
  const until = async (isSo: () => boolean): Promise<void> => {
    while (!isSo() && !failed()) await sleep(5)
  }
  const during = async (manner: Manner, met: () => number): Promise<void> => {
    const before = met()
    await upstream.answer(manner)
    await until(() => met() >= before + MET)
    await upstream.answer('well')
  }
  const failures = () => seen.upstreamFailed
  return [
    {
      name: 'kill -9 of a server in the middle of streams',
      async inject() {
        await upstream.answer('slow')
        await until(() => streaming().next >= AT_ONCE)
        await killServer()
        await upstream.answer('well')
      },
    },
    {
      name: 'kill -9 of the upstream in the middle of streams',
      async inject() {
        await upstream.answer('slow')
        await until(() => streaming().all >= AT_ONCE)
        await upstream.crash()
      },
    },
    { name: 'upstream that does not answer', inject: () => during('silent', failures) },
    { name: 'slow upstream', inject: () => during('slow', () => seen.streamsRead + seen.streamsLeft) },
    { name: 'upstream that lies about the length of bodies', inject: () => during('lying', failures) },
  ]
}
