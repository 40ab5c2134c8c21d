import type { Logger } from 'pino'
import type { Database } from '../../db/database.ts'

const FOLD_AFTER_MS = 500

/**
 * Adds what commits left pending to the sums by hour and day. Any session may, at any time; one does at a time, and what it
 * leaves the next one takes.
 */
export async function foldUsage(db: Database): Promise<void> {
  await db.pool.query('select usage_fold()')
}

export interface Folder {
  /** Something was committed: it is folded within half a second. */
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
