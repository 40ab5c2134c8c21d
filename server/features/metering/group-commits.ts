import { join } from 'node:path'
import type { QueuedCalls } from './account-queues.ts'
import type { AccountAfter } from './batch.ts'
import type { BatchTimeouts } from './batch-connection.ts'
import { Committer } from './committer.ts'
import type { MeterParts } from './create-meter.ts'
import { createUsageFold, type UsageFold } from './fold.ts'
import { givenUpBatches } from './given-up.ts'
import type { MeterFigures } from './meter.ts'
import { voidWhereMoved } from './void-moved.ts'

interface GroupCommitParts extends Pick<MeterParts, 'config' | 'db' | 'log' | 'metrics'> {
  maxQueued: number
  callMs: number
  timeouts: BatchTimeouts
  /** Receives the state of each account after its batch. */
  seen: (taken: QueuedCalls, after: AccountAfter) => void
}

/** The group commits of all buckets. */
export interface GroupCommits {
  /** Opened with the first call of the bucket. */
  of: (bucket: number) => Pick<Committer, 'add'>
  /** Those of which a call was committed. */
  buckets: () => number[]
  markCreditsChanged: (accountId: number) => void
  figures: () => MeterFigures
  /** Waits for every call's outcome. */
  close: () => Promise<void>
}

/** One committer and one fold of usage for each bucket, because a transaction of a batch stays within its bucket. */
export function createGroupCommits({
  config,
  db,
  log,
  metrics,
  maxQueued,
  callMs,
  timeouts,
  seen,
}: GroupCommitParts): GroupCommits {
  const buckets = new Map<number, { committer: Committer; fold: UsageFold }>()
  const givenUp = givenUpBatches(join(config.FINMETER_DATA_DIR, 'given-up'), log)

  const open = (bucket: number): { committer: Committer; fold: UsageFold } => {
    const home = db.of(bucket)
    const fold = createUsageFold(home, log)
    const committer = new Committer({
      bucket,
      session: () => home.session,
      batches: config.METER_BATCHES,
      batchSize: config.METER_BATCH_SIZE,
      maxQueued,
      callDeadlineMs: callMs,
      timeouts,
      log,
      givenUp,
      voided: (batch) => voidWhereMoved(db, bucket, batch),
      committed: (calls, ms) => metrics?.batch(calls, ms),
      seen(taken, after) {
        fold.wake()
        seen(taken, after)
      },
    })
    const opened = { committer, fold }
    buckets.set(bucket, opened)
    return opened
  }

  for (const { bucket } of givenUp.left()) if (!buckets.has(bucket)) open(bucket)
  return {
    of: (bucket) => (buckets.get(bucket) ?? open(bucket)).committer,
    buckets: () => [...buckets.keys()],
    markCreditsChanged(accountId) {
      for (const { committer } of buckets.values()) committer.markCreditsChanged(accountId)
    },
    figures() {
      const sum = { waiting: 0, batches: 0, settled: 0, unavailable: 0 }
      for (const { committer } of buckets.values()) {
        const one = committer.figures()
        for (const name of Object.keys(sum) as (keyof MeterFigures)[]) sum[name] += one[name]
      }
      return sum
    },
    async close() {
      await Promise.all([...buckets.values()].map(({ committer }) => committer.close()))
      await Promise.all([...buckets.values()].map(({ fold }) => fold.close()))
    },
  }
}
