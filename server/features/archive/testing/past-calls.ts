import { setTimeout as sleep } from 'node:timers/promises'
import type { TestServer } from '../../../testing/harness.ts'
import { charging } from '../../metering/charging.ts'
import type { MeteredCall } from '../../metering/meter.ts'
import { keepPartitions } from '../../metering/partitions.ts'
import { moveClock } from '../../metering/testing/meter-fixture.ts'

type Server = Pick<TestServer, 'db' | 'databaseUrl' | 'deps'>

const DAY_MS = 86_400_000
/** Many times what a test takes. */
const NEAR_MS = 60_000

/** Waits until a midnight that is near has passed: it would move every day that a test names by its distance from today. */
export async function passMidnight(): Promise<void> {
  const leftMs = DAY_MS - (Date.now() % DAY_MS)
  if (leftMs < NEAR_MS) await sleep(leftMs)
}

/** Makes calls on the days that are so many days ago, each day in its own partition, and returns to the present. */
export async function callInThePast(
  server: Server,
  days: Record<number, (Pick<MeteredCall, 'accountId' | 'keyId'> & Partial<MeteredCall>)[]>,
): Promise<void> {
  await passMidnight()
  for (const [ago, calls] of Object.entries(days).sort(([one], [other]) => Number(other) - Number(one))) {
    await setDaysAgo(server, Number(ago))
    for (const call of calls) {
      const outcome = await server.deps.meter[charging].commit({
        bucket: 0,
        toolId: server.deps.tools.current().get('get_bars')?.id ?? 0,
        credits: 1,
        status: 'success',
        durationMs: 5,
        ...call,
      })
      if (outcome.kind !== 'charged') throw new Error(`a call was ${outcome.kind}`)
    }
  }
  await setDaysAgo(server, 0)
  await keepPartitions(server.db)
}

const setDaysAgo = ({ db }: Server, days: number): Promise<void> => moveClock({ db }, `-${days} days`)

/** The partitions of days that the database has, without those of today and later. */
export async function pastPartitions({ db }: Server): Promise<string[]> {
  const { rows } = await db.pool.query<{ name: string }>(
    `select c.relname::text as name from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'usage_events'::regclass
       and c.relname ~ '[0-9]{8}$' and to_date(right(c.relname, 8), 'YYYYMMDD') < (app_now() at time zone 'UTC')::date order by 1`,
  )
  return rows.map(({ name }) => name)
}
