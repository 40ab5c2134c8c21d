import type { Logger } from 'pino'
import type { Database } from '../../db/database.ts'

const FOLD_AFTER_MS = 1_000

/** Lines of closed hours that one transaction moves on: short enough that no fold waits long for it. */
const MOST_ROLLED = 20_000

/**
 * Adds what commits left pending to the open hours. Any session may, at any time; one does at a time, and what it leaves the
 * next one takes.
 */
export async function foldUsage(db: Database): Promise<void> {
  await db.pool.query('select usage_fold()')
}

/** Moves closed hours on into the sums by hour and day, and the histograms. Safe at any time, on any number of instances. */
export async function rollUsage(db: Database): Promise<void> {
  let total = 0
  for (let moved = MOST_ROLLED; moved === MOST_ROLLED; total += moved) {
    const { rows } = await db.pool.query<{ moved: number }>('select usage_roll($1) as moved', [MOST_ROLLED])
    moved = rows[0]!.moved
  }
  // Readers would walk through what has moved until autovacuum comes.
  if (total > 0) await db.pool.query('vacuum (skip_locked) usage_open')
}

export interface Folder {
  /** Something was committed: it is folded within a second. */
  wake: () => void
  close: () => Promise<void>
}

/** Folds after commits of this process. Without it sums would still be right (they are read with what is pending), only slower. */
export function createFolder(db: Database, log: Logger): Folder {
  let timer: NodeJS.Timeout | undefined
  let folding: Promise<void> | undefined
  const fold = (): void => {
    timer = undefined
    folding = foldUsage(db).catch((error: Error) => log.warn({ error: error.message }, 'usage was not folded'))
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
