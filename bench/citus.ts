import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Config, loadConfig } from '../server/config/config.ts'
import { type Database, openDatabase } from '../server/db/database.ts'
import { distributeBucket } from '../server/db/distribute.ts'
import { createListener } from '../server/db/listen.ts'
import { makeBucket } from '../server/db/make-bucket.ts'
import { migrate } from '../server/db/migrate.ts'
import { readPlacement } from '../server/db/placement.ts'
import { createMeter } from '../server/features/metering/create-meter.ts'
import { checkInvariants } from '../server/features/metering/invariants.ts'
import { memoryLimiter } from '../server/features/metering/rate-limiter.ts'
import { makeLoadTestAccount } from '../server/features/operator/make-load-test-account.ts'
import { createLog } from '../server/log.ts'
import { createSecrets } from '../server/secrets/secrets.ts'
import { createCitusDatabase, createPlainDatabase } from '../server/testing/citus-database.ts'

const BUCKETS = 4
const ACCOUNTS = 200
const CREDITS = 1_000_000_000
const IN_FLIGHT = [64, 256, 1_024]
const ROUNDS = 3
const SECONDS = 3

interface Side {
  name: string
  db: Database
  callers: { accountId: number; bucket: number; keyId: number }[]
  meter: ReturnType<typeof createMeter>
}

/**
 * The committer alone, without HTTP, on one PostgreSQL and on buckets that are spread over the workers of a Citus cluster, in turns on the same
 * cores. Returns a table in Markdown. `clusterUrl` is a coordinator with two workers; the single database is on the same server.
 */
export async function runCitus(clusterUrl: string, say: (line: string) => void): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'finmeter-citus-bench-'))
  const endings: (() => Promise<unknown>)[] = [() => rm(dir, { recursive: true, force: true })]
  const config = loadConfig({
    NODE_ENV: 'test',
    FINMETER_DATA_DIR: dir,
    KEYS_SECRET: 'ab'.repeat(32),
    METER_BATCHES: '4',
  })
  try {
    const plain = await createPlainDatabase(clusterUrl)
    endings.push(plain.drop)
    const citus = await createCitusDatabase(clusterUrl)
    endings.push(citus.drop)
    const sides = [
      await prepare('one PostgreSQL', plain.url, 1, config, endings),
      await prepare(`${BUCKETS} buckets on workers`, citus.url, BUCKETS, { ...config, METER_BATCHES: 1 }, endings),
    ]
    const rows: string[] = []
    for (const inFlight of IN_FLIGHT) {
      const figures = sides.map(() => ({ calls: 0, batches: 0, rates: [] as number[] }))
      for (let round = 0; round < ROUNDS; round++)
        for (let at = 0; at < sides.length; at++) {
          const index = (at + round) % sides.length
          const { name, meter, callers } = sides[index]!
          const before = meter.figures()
          const rate = await drive(meter, callers, inFlight)
          const after = meter.figures()
          const sum = figures[index]!
          sum.calls += after.settled - before.settled
          sum.batches += after.batches - before.batches
          sum.rates.push(rate)
          say(`${inFlight} in flight, round ${round + 1}  ${name}: ${Math.round(rate)} calls a second`)
        }
      const [one, spread] = figures
      const ratios = one!.rates.map((rate, round) => spread!.rates[round]! / rate).sort((a, b) => a - b)
      const cells = [
        inFlight,
        ...[one!, spread!].flatMap(({ calls, batches, rates }) => [
          Math.round(rates.reduce((sum, rate) => sum + rate, 0) / ROUNDS).toLocaleString('en-US'),
          (calls / batches).toFixed(0),
        ]),
        `${ratios[1]!.toFixed(2)} (${ratios[0]!.toFixed(2)} to ${ratios[2]!.toFixed(2)})`,
      ]
      rows.push(`| ${cells.join(' | ')} |`)
    }
    const violations = (await Promise.all(sides.map(({ db }) => checkInvariants(db)))).flat()
    if (violations.length > 0) throw new Error(`The invariants are violated: ${JSON.stringify(violations.slice(0, 3))}`)
    return [
      '| in flight | one PostgreSQL, calls/s | calls in a batch | buckets, calls/s | calls in a batch | ratio (lowest to highest) |',
      '| ---: | ---: | ---: | ---: | ---: | ---: |',
      ...rows,
    ].join('\n')
  } finally {
    for (const end of endings.reverse()) await end()
  }
}

async function prepare(
  name: string,
  url: string,
  count: number,
  config: Config,
  endings: (() => Promise<unknown>)[],
): Promise<Side> {
  const log = createLog({ LOG_LEVEL: 'silent' })
  const setup = openDatabase(url, 2, () => {})
  await migrate(setup)
  for (let bucket = 0; bucket < count; bucket++) {
    await makeBucket(setup, bucket)
    if (count > 1) await distributeBucket(setup, bucket)
  }
  await setup.close()
  const placement = await readPlacement(url, new Map(), log)
  const db = openDatabase(url, 4, () => {}, count > 1 ? 'public' : undefined, placement)
  const listener = await createListener(url, log)
  const meter = createMeter({ config, db, listener, limiter: memoryLimiter(Date.now), log })
  endings.push(async () => {
    await meter.close()
    await listener.close()
    placement.close()
    await db.close()
  })
  const secrets = createSecrets(config.KEYS_SECRET!)
  for (let made = 0; made < ACCOUNTS; made++) await makeLoadTestAccount(db.kysely, secrets, CREDITS)
  const callers = await db.kysely
    .selectFrom('accounts as a')
    .innerJoin('api_keys as k', 'k.account_id', 'a.id')
    .select(['a.id as accountId', 'a.bucket', 'k.id as keyId'])
    .execute()
  return { name, db, callers, meter }
}

/** Keeps `inFlight` calls of one credit under way. Returns calls a second. */
async function drive(meter: Side['meter'], callers: Side['callers'], inFlight: number): Promise<number> {
  const startedAt = performance.now()
  const until = startedAt + SECONDS * 1_000
  let next = 0
  let answered = 0
  const loop = async (): Promise<void> => {
    while (performance.now() < until) {
      const caller = callers[next++ % callers.length]!
      const outcome = await meter.commit({ ...caller, toolId: 1, credits: 1, status: 'success', durationMs: 2 })
      if (outcome.kind !== 'charged') throw new Error(`A call was ${outcome.kind}.`)
      answered++
    }
  }
  await Promise.all(Array.from({ length: inFlight }, loop))
  return (answered * 1_000) / (performance.now() - startedAt)
}
