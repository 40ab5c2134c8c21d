import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { openDatabase } from '#server/db/database.ts'
import { freePort, startEmbedded } from '#server/db/embedded.ts'
import { releaseNumber } from '#server/db/schema-release.ts'
import { type ServerProcess, startServerProcess } from '#server/testing/process.ts'
import type { ProofAccount } from '#server/testing/proof/accounts.ts'
import { callUntilDone } from '#server/testing/proof/callers.ts'
import { type Compared, compare } from '#server/testing/proof/compare.ts'
import { newSeen, type Seen } from '#server/testing/proof/seen.ts'

/** A release whose packages are installed in `folder`. */
export interface Release {
  folder: string
  version: string
}

export interface Step {
  name: string
  /** What clients saw during it. */
  counts: Pick<Seen, (typeof counted)[number]>
  /** What went wrong; null: nothing. */
  failed: string | null
}

export interface UpgradeResult extends Compared {
  steps: Step[]
}

const counted = ['sent', 'charged', 'replayed', 'refused', 'unavailable', 'broken'] as const
/** The largest allowed share of a step's calls that wait too long for a table that is being changed. */
const MOST_LOST = 0.01
const KEYS_SECRET = 'ef'.repeat(32)
const run = promisify(execFile)

/**
 * Upgrades from `old` to `next` on one database under load, on which both serve at the same time. Then it compares what
 * clients saw with the rows.
 */
export async function runUpgrade(
  old: Release,
  next: Release,
  { callers, callsPerStep, say }: { callers: number; callsPerStep: number; say: (line: string) => void },
): Promise<UpgradeResult> {
  const dir = await mkdtemp(join(tmpdir(), 'finmeter-upgrade-'))
  const cluster = await startEmbedded(dir, 'upgrade')
  const db = openDatabase(cluster.connectionString, 4, () => {})
  const env = {
    NODE_ENV: 'test',
    DATABASE_URL: cluster.connectionString,
    KEYS_SECRET,
    FINMETER_DATA_DIR: join(dir, 'data'),
    LOG_LEVEL: 'silent',
  }
  const { PATH, HOME } = process.env
  const command = async ({ folder }: Release, file: string, ...words: string[]) =>
    (
      await run(process.execPath, [join(folder, 'server/cli', file), ...words], {
        env: { PATH, HOME, ...env },
        cwd: dir,
      })
    ).stdout
  const servers = new Map<string, { port: number; process: ServerProcess }>()
  const start = async ({ folder }: Release, more: NodeJS.ProcessEnv = {}): Promise<void> => {
    const port = await freePort()
    const server = startServerProcess({ ...env, ...more, PORT: String(port) }, join(folder, 'server/main.ts'))
    await server.ready
    servers.set(folder, { port, process: server })
  }
  const stop = async ({ folder }: Release): Promise<void> => {
    const server = servers.get(folder)
    servers.delete(folder)
    await server?.process.stop()
  }
  const seen = newSeen()
  let stopped = false
  const over = () => stopped
  const steps: Step[] = []
  try {
    await start(old)
    const accounts: ProofAccount[] = []
    for (const kind of ['rich', 'rich', 'rich', 'poor'] as const)
      accounts.push(
        await makeAccount(
          kind,
          await command(old, 'admin.ts', 'loadtest', '--credits', kind === 'rich' ? '100000000' : '500'),
        ),
      )
    const calling = Array.from({ length: callers }, () =>
      callUntilDone({
        accounts,
        ports: () => [...servers.values()].map(({ port }) => port),
        seen,
        done: over,
        failed: over,
      }),
    )
    const step = async (name: string, act: () => Promise<unknown>): Promise<void> => {
      say(name)
      const before = { ...seen }
      let failed = await act().then(
        () => null,
        (error: Error) => error.message.trim(),
      )
      const until = seen.sent + callsPerStep
      while (servers.size > 0 && seen.sent < until) await sleep(20)
      const counts = Object.fromEntries(counted.map((key) => [key, seen[key] - before[key]])) as Step['counts']
      if (counts.unavailable + counts.broken > counts.sent * MOST_LOST)
        failed ??= `${counts.unavailable + counts.broken} of ${counts.sent} calls were not served`
      steps.push({ name, counts, failed })
    }
    await step(`${old.version} serves`, async () => {})
    await step(`npm run migrate of ${next.version}`, () => command(next, 'migrate.ts'))
    await step(`${next.version} starts alongside it`, () => start(next, { MIGRATE: 'off' }))
    const { rows } = await db.pool.query<{ serves_from: number }>('select serves_from from schema_release')
    if (releaseNumber(old.version) >= rows[0]!.serves_from)
      await step(`${old.version} is restarted on the new database`, async () => {
        await stop(old)
        await start(old)
      })
    else
      await step(`${old.version} goes on, and is refused a restart`, () =>
        start({ ...old, version: 'another' }).then(
          () => Promise.reject(new Error('It was not refused.')),
          () => {},
        ),
      )
    await step(`${old.version} is stopped`, () => stop(old))
    stopped = true
    await Promise.all(calling)
    await stop(next)
    return { steps, ...(await compare(db, accounts, seen)) }
  } finally {
    stopped = true
    await Promise.all([...servers.values()].map(({ process }) => process.stop()))
    await db.close()
    await cluster.stop()
    await rm(dir, { recursive: true, force: true })
  }

  async function makeAccount(kind: ProofAccount['kind'], printed: string): Promise<ProofAccount> {
    const [, publicId] = /^Account (\S+) with/m.exec(printed) ?? []
    const { rows } = await db.pool.query<{ id: number }>('select id from accounts where public_id = $1', [publicId])
    return { id: rows[0]!.id, kind, key: printed.trim().split('\n').at(-1)! }
  }
}
