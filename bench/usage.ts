import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../server/db/database.ts'
import { startEmbedded } from '../server/db/embedded.ts'
import { migrate } from '../server/db/migrate.ts'
import { add } from '../server/features/tools/basic/add.ts'
import { echo } from '../server/features/tools/basic/echo.ts'
import { timestamp } from '../server/features/tools/basic/timestamp.ts'
import { createToolRegistry } from '../server/features/tools/registry.ts'
import { usagePage } from '../server/testing/usage-page.ts'
import { fillUsage } from '../server/testing/usage-rows.ts'

const TARGET_MS = 50
const ROUNDS = 40
const WARM_UP = 3

export interface UsageTiming {
  query: string
  p50Ms: number
  p95Ms: number
}

/**
 * Fills a separate PostgreSQL with `rows` calls of 100 days, half of them by one account, and runs the usage page's
 * queries.
 */
export async function runUsageBench(rows: number, say: (line: string) => void): Promise<UsageTiming[]> {
  const directory = await mkdtemp(join(tmpdir(), 'finmeter-usage-bench-'))
  const server = await startEmbedded(directory, 'bench', {
    flags: [
      'max_wal_size=4GB',
      'maintenance_work_mem=256MB',
      'work_mem=64MB',
      // The measured part only reads.
      'fsync=off',
      'wal_level=minimal',
      'max_wal_senders=0',
    ],
  })
  const db = openDatabase(server.connectionString, 4, () => {})
  try {
    await migrate(db)
    const tools = await createToolRegistry([add, timestamp, echo], db)
    const called = ['add', 'timestamp'].map((name) => tools.current().get(name)!.id)
    const page = usagePage(db, tools, await fillUsage(db, { rows, days: 100, busyEvery: 2, toolIds: called, say }))
    const timings: UsageTiming[] = []
    for (const [query, ask] of Object.entries(page)) {
      const took: number[] = []
      for (let round = -WARM_UP; round < ROUNDS; round++) {
        const startedAt = performance.now()
        await ask()
        if (round >= 0) took.push(performance.now() - startedAt)
      }
      took.sort((a, b) => a - b)
      timings.push({ query, p50Ms: took[Math.floor(ROUNDS * 0.5)]!, p95Ms: took[Math.floor(ROUNDS * 0.95)]! })
      say(`${query}: ${took[Math.floor(ROUNDS * 0.95)]!.toFixed(1)} ms`)
    }
    return timings
  } finally {
    await db.close()
    await server.stop()
    await rm(directory, { recursive: true, force: true })
  }
}

/** The table for docs/performance.md. */
export function usageMarkdown(rows: number, timings: UsageTiming[]): string {
  const [first] = cpus()
  return [
    `${rows.toLocaleString('en-US')} calls over 100 days, half of them by one account with 12 keys. Each query ran ${ROUNDS} times. ${first?.model.trim() ?? 'unknown processor'}, ${cpus().length} cores, Node ${process.version.slice(1)}; load average ${loadavg()[0]!.toFixed(1)} at the end. Target: p95 under ${TARGET_MS} ms.`,
    '',
    '| Query | p50 ms | p95 ms | Met |',
    '| --- | ---: | ---: | --- |',
    ...timings.map(
      ({ query, p50Ms, p95Ms }) =>
        `| ${query} | ${p50Ms.toFixed(1)} | ${p95Ms.toFixed(1)} | ${p95Ms < TARGET_MS ? 'yes' : 'no'} |`,
    ),
  ].join('\n')
}
