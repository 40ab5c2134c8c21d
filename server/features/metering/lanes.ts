import { join } from 'node:path'
import type { QueuedCalls } from './account-queues.ts'
import type { AccountAfter } from './batch.ts'
import type { BatchTimeouts } from './batch-connection.ts'
import { Committer } from './committer.ts'
import type { MeterParts } from './create-meter.ts'
import { createFolder, type Folder } from './fold.ts'
import { givenUpBatches } from './given-up.ts'
import type { MeterFigures } from './meter.ts'
import { voidWhereMoved } from './void-moved.ts'

interface LaneParts extends Pick<MeterParts, 'config' | 'db' | 'log' | 'metrics'> {
  maxQueued: number
  callMs: number
  timeouts: BatchTimeouts
  /** Receives the state of each account after its batch. */
  seen: (taken: QueuedCalls, after: AccountAfter) => void
}

/** The group commits of all buckets. */
export interface Lanes {
  /** Opened with the first call of the bucket. */
  of: (bucket: number) => Pick<Committer, 'add'>
  /** Those of which a call was committed. */
  buckets: () => number[]
  markCreditsChanged: (accountId: number) => void
  figures: () => MeterFigures
  /** Waits for every call's outcome. */
  close: () => Promise<void>
}

/** One committer and one folder for each bucket, because a transaction of a batch stays within its bucket. */
export function createLanes({ config, db, log, metrics, maxQueued, callMs, timeouts, seen }: LaneParts): Lanes {
  const lanes = new Map<number, { committer: Committer; folder: Folder }>()
  const givenUp = givenUpBatches(join(config.FINMETER_DATA_DIR, 'given-up'), log)

  const open = (bucket: number): { committer: Committer; folder: Folder } => {
    const home = db.of(bucket)
    const folder = createFolder(home, log)
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
        folder.wake()
        seen(taken, after)
      },
    })
    const lane = { committer, folder }
    lanes.set(bucket, lane)
    return lane
  }

  for (const { bucket } of givenUp.left()) if (!lanes.has(bucket)) open(bucket)
  return {
    of: (bucket) => (lanes.get(bucket) ?? open(bucket)).committer,
    buckets: () => [...lanes.keys()],
    markCreditsChanged(accountId) {
      for (const { committer } of lanes.values()) committer.markCreditsChanged(accountId)
    },
    figures() {
      const sum = { waiting: 0, batches: 0, settled: 0, unavailable: 0 }
      for (const { committer } of lanes.values()) {
        const one = committer.figures()
        for (const name of Object.keys(sum) as (keyof MeterFigures)[]) sum[name] += one[name]
      }
      return sum
    },
    async close() {
      await Promise.all([...lanes.values()].map(({ committer }) => committer.close()))
      await Promise.all([...lanes.values()].map(({ folder }) => folder.close()))
    },
  }
}
