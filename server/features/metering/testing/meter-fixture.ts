import { sql } from 'kysely'
import pino from 'pino'
import { emptiestBucket } from '../../../db/buckets.ts'
import { openDatabase } from '../../../db/database.ts'
import { createListener, type Listener } from '../../../db/listen.ts'
import { adminQuery } from '../../../testing/databases.ts'
import { createTestDatabase, type TestDatabase, testConfig } from '../../../testing/harness.ts'
import { grantCredits } from '../../credits/grant.ts'
import { openCreditAccount } from '../../credits/open-account.ts'
import type { Charging } from '../charging.ts'
import { createMeter, type MeterParts } from '../create-meter.ts'
import { openMeterKey } from '../keys.ts'
import type { CommitOutcome, Meter, MeteredCall } from '../meter.ts'
import { memoryLimiter } from '../rate-limiter.ts'

export interface Instance {
  meter: Meter & Charging
  listener: Listener
  close: () => Promise<void>
}

export interface InstanceOptions {
  env?: NodeJS.ProcessEnv
  limits?: MeterParts['limits']
  /** Another route to the same database. */
  databaseUrl?: string
}

export interface TestAccount {
  accountId: number
  bucket: number
  keyId: number
}

export interface MeterFixture extends TestDatabase {
  /** A second meter, which looks like another server process to the database. */
  instance: (options?: InstanceOptions) => Promise<Instance>
  /** An account with a key and credits. */
  account: (credits?: number) => Promise<TestAccount>
  close: () => Promise<void>
}

let nextKeyId = 1

/** Real PostgreSQL, real listener, any number of meters. */
export async function meterFixture(buckets = 1): Promise<MeterFixture> {
  const database = await createTestDatabase(buckets)
  const log = pino({ level: 'silent' })
  const opened: Instance[] = []
  return {
    ...database,
    async instance({ env, limits, databaseUrl } = {}) {
      const db = databaseUrl ? openDatabase(databaseUrl, 4, () => {}) : database.db
      const listener = await createListener(database.url, log)
      const meter = createMeter({
        config: testConfig(database.url, 0, env),
        db,
        listener,
        limiter: memoryLimiter(Date.now),
        log,
        limits,
      })
      const close = async () => {
        await meter.close()
        await listener.close()
        if (databaseUrl) await db.close()
      }
      const instance = { meter, listener, close }
      opened.push(instance)
      return instance
    },
    async account(credits = 0) {
      const { kysely } = database.db
      const { id: accountId, bucket } = await kysely
        .insertInto('accounts')
        .values({ name: 'Test', bucket: emptiestBucket })
        .returning(['id', 'bucket'])
        .executeTakeFirstOrThrow()
      const keyId = nextKeyId++
      await kysely.transaction().execute(async (tx) => {
        await openCreditAccount(tx, accountId)
        await openMeterKey(tx, { keyId, accountId })
      })
      if (credits > 0)
        await grantCredits(kysely, {
          accountId,
          kind: 'topup',
          amount: credits,
          sourceType: 'test',
          sourceId: `account ${accountId}`,
        })
      return { accountId, bucket, keyId }
    },
    async close() {
      await Promise.all(opened.map((instance) => instance.close()))
      await database.drop()
    },
  }
}

/** A successful call of one credit by default. Without a bucket it goes to the first, which sends it where the account is. */
export function call(
  of: { accountId: number; bucket?: number; keyId: number | null },
  change: Partial<MeteredCall> = {},
): MeteredCall {
  return {
    accountId: of.accountId,
    bucket: of.bucket ?? 0,
    keyId: of.keyId,
    toolId: 1,
    credits: 1,
    status: 'success',
    durationMs: 2,
    ...change,
  }
}

/** Counts outcomes by kind, and refusals by code. */
export function tally(outcomes: CommitOutcome[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const outcome of outcomes) {
    const name = outcome.kind === 'refused' ? outcome.code : outcome.kind
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

/** Moves every clock of this database. */
export async function moveClock(database: Pick<TestDatabase, 'db'>, interval: string): Promise<void> {
  await sql`insert into app_clock (offset_by) values (${interval}::interval)
    on conflict (only_row) do update set offset_by = excluded.offset_by`.execute(database.db.kysely)
}

/** The same, to a time. In seconds, because a day of the session's time zone may have 23 hours. */
export async function moveClockTo(database: Pick<TestDatabase, 'db'>, at: Date): Promise<void> {
  const { rows } = await sql<{ seconds: number }>`
    select extract(epoch from ${at}::timestamptz - clock_timestamp()) as seconds`.execute(database.db.kysely)
  await moveClock(database, `${rows[0]!.seconds} seconds`)
}

/** Stops every clock of this database, so that what ends exactly now can be told from what has ended. */
export const stopClock = ({ db }: Pick<TestDatabase, 'db'>, at: number): Promise<unknown> =>
  sql
    .raw(
      `create or replace function public.app_now() returns timestamptz language sql volatile as $$ select timestamptz '${new Date(at).toISOString()}' $$`,
    )
    .execute(db.kysely)

/** Sets the time zone of sessions that begin from now on. Before the first query: a session in the pool would keep its own. */
export const setTimeZone = ({ url }: Pick<TestDatabase, 'url'>, zone: string): Promise<void> =>
  adminQuery(url, `alter database ${new URL(url).pathname.slice(1)} set timezone = '${zone}'`)

/** Rows and charges of an account, as recorded. */
export async function recorded(
  database: TestDatabase,
  accountId: number,
): Promise<{ success: number; failed: number; charged: number }> {
  const { rows } = await sql<{ success: number; failed: number; charged: number }>`
    select count(*) filter (where success)::int as success, count(*) filter (where not success)::int as failed,
      coalesce(sum(from_credits), 0)::int as charged from usage_events where account_id = ${accountId}`.execute(
    database.db.kysely,
  )
  return rows[0] ?? { success: 0, failed: 0, charged: 0 }
}
