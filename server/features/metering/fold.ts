import type { Logger } from 'pino'
import { eachBucket } from '../../db/buckets.ts'
import type { Database } from '../../db/database.ts'

const FOLD_AFTER_MS = 1_000

/** Rows of closed hours moved per transaction, few enough that no fold waits long. */
const MOST_ROLLED = 20_000

/**
 * Adds pending commits to the open hours, beside the tables, where its lock is. Any session may run it at any time; one runs at a time, and the next one
 * takes the rest.
 */
export async function foldUsage(db: Database): Promise<void> {
  await eachBucket(db, foldBucket)
}

async function foldBucket(db: Database): Promise<void> {
  await db.node.pool.query('select usage_fold()')
}

/** Moves closed hours into the hourly and daily sums and the histograms. Safe at any time and on several instances. */
export async function rollUsage(db: Database): Promise<void> {
  await eachBucket(db, rollBucket)
}

async function rollBucket(db: Database): Promise<void> {
  let total = 0
  for (let moved = MOST_ROLLED; moved === MOST_ROLLED; total += moved) {
    const { rows } = await db.node.pool.query<{ moved: number }>('select usage_roll($1) as moved', [MOST_ROLLED])
    moved = rows[0]!.moved
  }
  // Otherwise readers would scan the moved rows until autovacuum runs.
  if (total > 0) await db.pool.query('vacuum (skip_locked) usage_open')
}

export interface UsageFold {
  /** Called after a commit in this bucket: its rows are folded within a second. */
  wake: () => void
  close: () => Promise<void>
}

/** Folds after commits of this process in the bucket of `db`. Sums are right without it (reads add what is pending), only slower. */
export function createUsageFold(db: Database, log: Logger): UsageFold {
  let timer: NodeJS.Timeout | undefined
  let folding: Promise<void> | undefined
  const fold = (): void => {
    timer = undefined
    folding = foldBucket(db).catch((error: Error) => log.warn({ error: error.message }, 'could not fold usage'))
  }
  return {
    wake() {
      timer ??= setTimeout(fold, FOLD_AFTER_MS).unref()
    },
    async close() {
      clearTimeout(timer)
      await folding
    },
  }
}
