import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig } from '../server/config/config.ts'
import { type Database, openDatabase } from '../server/db/database.ts'
import { startEmbedded } from '../server/db/embedded.ts'
import { createListener } from '../server/db/listen.ts'
import { migrate } from '../server/db/migrate.ts'
import { createMeter } from '../server/features/metering/create-meter.ts'
import { checkInvariants } from '../server/features/metering/invariants.ts'
import { memoryLimiter } from '../server/features/metering/rate-limiter.ts'
import { makeLoadTestAccount } from '../server/features/operator/make-load-test-account.ts'
import { createLog } from '../server/log.ts'
import { createSecrets } from '../server/secrets/secrets.ts'

const ACCOUNTS = 200
const CREDITS = 1_000_000_000
const IN_FLIGHT = 256
const ROUNDS = 7
const SECONDS = 2
const TICKS_PER_SECOND = 100

type MeterOfBench = ReturnType<typeof createMeter>
type BenchCaller = { accountId: number; bucket: number; keyId: number }
interface Slice {
  perSecond: number
  /** Processor time of PostgreSQL. */
  microseconds: number
}

const works = {
  charge: async (meter: MeterOfBench, caller: BenchCaller): Promise<boolean> =>
    (await meter.commit({ ...caller, toolId: 1, credits: 1, status: 'success', durationMs: 2 })).kind === 'charged',
  pair: async (meter: MeterOfBench, caller: BenchCaller): Promise<boolean> => {
    const held = await meter.hold(caller, { most: 5, seconds: 60 })
    if (held?.kind !== 'held') return false
    const call = { ...caller, toolId: 1, credits: 3, status: 'success' as const, durationMs: 2, holdId: held.id }
    return (await meter.commit(call)).kind === 'charged'
  },
}

/**
 * The committer alone, without HTTP: plain charges, and pairs of a hold of 5 credits and its settlement for 3, in turns on one
 * PostgreSQL. Returns a table in Markdown.
 */
export async function runHolds(say: (line: string) => void): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'finmeter-holds-'))
  const postgres = await startEmbedded(dir, 'bench')
  const db = openDatabase(postgres.connectionString, 4, () => {})
  const log = createLog({ LOG_LEVEL: 'silent' })
  await migrate(db)
  const listener = await createListener(postgres.connectionString, log)
  const config = loadConfig({ NODE_ENV: 'test', FINMETER_DATA_DIR: dir, KEYS_SECRET: 'ab'.repeat(32) })
  const meter = createMeter({ config, db, listener, limiter: memoryLimiter(Date.now), log })
  try {
    const secrets = createSecrets(config.KEYS_SECRET!)
    for (let made = 0; made < ACCOUNTS; made++) await makeLoadTestAccount(db.kysely, secrets, CREDITS)
    const callers = await db.kysely
      .selectFrom('accounts as a')
      .innerJoin('api_keys as k', 'k.account_id', 'a.id')
      .select(['a.id as accountId', 'a.bucket', 'k.id as keyId'])
      .execute()
    const slices: Record<keyof typeof works, Slice[]> = { charge: [], pair: [] }
    for (let round = 0; round < ROUNDS; round++)
      for (const name of round % 2 ? (['pair', 'charge'] as const) : (['charge', 'pair'] as const)) {
        const slice = await drive(db, meter, callers, works[name])
        slices[name].push(slice)
        say(`round ${round + 1}  ${name}: ${Math.round(slice.perSecond)} a second, ${slice.microseconds.toFixed(0)} µs`)
      }
    const violations = await checkInvariants(db)
    if (violations.length > 0) throw new Error(`The invariants are violated: ${JSON.stringify(violations.slice(0, 3))}`)
    const { rows } = await db.pool.query<{ open: number }>('select count(*)::int as open from credit_holds')
    if (rows[0]!.open !== 0) throw new Error(`${rows[0]!.open} holds are left.`)
    const ratios = slices.charge.map((slice, round) => slices.pair[round]!.perSecond / slice.perSecond)
    const line = (name: string, of: Slice[], ratio: string) =>
      `| ${name} | ${rate(of)} | ${median(of.map(({ microseconds }) => microseconds)).toFixed(0)} µs | ${ratio} |`
    return [
      '| what | a second | PostgreSQL for each | ratio (lowest to highest) |',
      '| --- | ---: | ---: | ---: |',
      line('plain charges', slices.charge, '1'),
      line('pairs of hold and settlement', slices.pair, range(ratios)),
    ].join('\n')
  } finally {
    await meter.close()
    await listener.close()
    await db.close()
    await postgres.stop()
    await rm(dir, { recursive: true, force: true })
  }
}

/** Keeps work under way for a few seconds. */
async function drive(
  db: Database,
  meter: MeterOfBench,
  callers: BenchCaller[],
  work: (meter: MeterOfBench, caller: BenchCaller) => Promise<boolean>,
): Promise<Slice> {
  const ticksBefore = await backendTicks(db)
  const startedAt = performance.now()
  let next = 0
  let done = 0
  const loop = async (): Promise<void> => {
    while (performance.now() < startedAt + SECONDS * 1_000) {
      if (!(await work(meter, callers[next++ % callers.length]!))) throw new Error('A call was refused.')
      done++
    }
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, loop))
  const seconds = (performance.now() - startedAt) / 1_000
  const ticks = (await backendTicks(db)) - ticksBefore
  return { perSecond: done / seconds, microseconds: ((ticks / TICKS_PER_SECOND) * 1_000_000) / done }
}

/** Processor time of all sessions so far. Sessions stay open during a run. */
async function backendTicks(db: Database): Promise<number> {
  const { rows } = await db.pool.query<{ pid: number }>(
    `select pid from pg_stat_activity where backend_type = 'client backend'`,
  )
  let ticks = 0
  for (const { pid } of rows) {
    const fields = (await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')).split(') ').at(-1)!.split(' ')
    ticks += Number(fields[11] ?? 0) + Number(fields[12] ?? 0)
  }
  return ticks
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!
const rate = (of: Slice[]): string => Math.round(median(of.map(({ perSecond }) => perSecond))).toLocaleString('en-US')
const range = (ratios: number[]): string =>
  `${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})`
