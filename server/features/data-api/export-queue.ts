import type { Config } from '../../config/config.ts'

/** Lets a few exports run at once: some in all, fewer of one account. The others wait, accounts in turn. */
export interface ExportQueue {
  /**
   * Resolves when the export may start, with the function that frees its place; null if it waited too long, too many wait,
   * or its client has gone.
   */
  enter: (accountId: number, isGone: () => boolean) => Promise<(() => void) | null>
  figures: () => { running: number; waiting: number }
}

interface Waiting {
  isGone: () => boolean
  settle: (leave: (() => void) | null) => void
}

interface Account {
  running: number
  waiting: Waiting[]
}

/** A connection waits with each. */
const MOST_WAITING = 200

export function createExportQueue({
  EXPORTS_AT_ONCE: most,
  EXPORTS_PER_ACCOUNT: mostOfOne,
  EXPORT_WAIT_SECONDS: waitSeconds,
}: Pick<Config, 'EXPORTS_AT_ONCE' | 'EXPORTS_PER_ACCOUNT' | 'EXPORT_WAIT_SECONDS'>): ExportQueue {
  /** In the order in which they come next. */
  const accounts = new Map<number, Account>()
  let running = 0
  let waiting = 0

  const start = (accountId: number, account: Account): (() => void) => {
    running++
    account.running++
    // It is another account's turn now.
    accounts.delete(accountId)
    accounts.set(accountId, account)
    let left = false
    return () => {
      if (left) return
      left = true
      running--
      account.running--
      forget(accountId, account)
      startNext()
    }
  }

  const forget = (accountId: number, account: Account): void => {
    if (account.running === 0 && account.waiting.length === 0) accounts.delete(accountId)
  }

  const startNext = (): void => {
    for (const [accountId, account] of accounts) {
      if (running >= most) return
      if (account.running >= mostOfOne) continue
      const next = account.waiting.shift()
      if (!next) continue
      waiting--
      if (next.isGone()) {
        next.settle(null)
        forget(accountId, account)
      } else next.settle(start(accountId, account))
      startNext()
      return
    }
  }

  return {
    async enter(accountId, isGone) {
      const account = accounts.get(accountId) ?? { running: 0, waiting: [] }
      if (running < most && account.running < mostOfOne && account.waiting.length === 0)
        return start(accountId, account)
      if (waiting >= MOST_WAITING) return null
      accounts.set(accountId, account)
      waiting++
      return new Promise((done) => {
        const timer = setTimeout(() => {
          account.waiting.splice(account.waiting.indexOf(entry), 1)
          waiting--
          forget(accountId, account)
          done(null)
        }, waitSeconds * 1000)
        const entry: Waiting = {
          isGone,
          settle(leave) {
            clearTimeout(timer)
            done(leave)
          },
        }
        account.waiting.push(entry)
      })
    },
    figures: () => ({ running, waiting }),
  }
}
