import { join } from 'node:path'
import type { QueuedCalls } from './account-queues.ts'
import type { AccountAfter } from './batch.ts'
import type { BatchTimeouts } from './batch-connection.ts'
import { Committer } from './committer.ts'
import type { MeterParts } from './create-meter.ts'
import { createFolder, type Folder } from './fold.ts'
import { acceptParcels } from './forwarding/accept-parcels.ts'
import { Forwarder } from './forwarding/forwarder.ts'
import { TakeBack } from './forwarding/take-back.ts'
import type { AccountHint } from './forwarding/wire.ts'
import { givenUpBatches } from './given-up.ts'
import type { MeterFigures } from './meter.ts'
import { voidWhereMoved } from './void-moved.ts'

interface LaneParts extends Pick<MeterParts, 'config' | 'db' | 'log' | 'metrics' | 'forwarding'> {
  maxQueued: number
  callMs: number
  timeouts: BatchTimeouts
  /** Receives what a batch showed about an account. */
  hint: (...hint: AccountHint) => void
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

interface Lane {
  committer: Committer
  folder: Folder
  /** Null: this process commits for the bucket. */
  forwarder: Forwarder | null
  takeBack: TakeBack
}

/** One committer and one folder for each bucket, because a transaction of a batch stays within its bucket. */
export function createLanes(parts: LaneParts): Lanes {
  const { config, db, log, metrics, forwarding, maxQueued, callMs, timeouts, hint } = parts
  const lanes = new Map<number, Lane>()
  const givenUp = givenUpBatches(join(config.FINMETER_DATA_DIR, 'given-up'), log)

  const open = (bucket: number): Lane => {
    const home = db.of(bucket)
    const folder = createFolder(home, log)
    const place = { bucket, session: () => home.session, timeouts, log }
    const limits = { callDeadlineMs: callMs, maxQueued }
    const takeBack = new TakeBack({
      ...place,
      givenUp,
      voided: (batch, part) => voidWhereMoved(db, bucket, batch, part),
    })
    const committer = new Committer({
      ...place,
      ...limits,
      givenUp,
      batches: config.METER_BATCHES,
      batchSize: config.METER_BATCH_SIZE,
      voided: (batch) => voidWhereMoved(db, bucket, batch),
      committed: (calls, ms) => metrics?.batch(calls, ms),
      seen(taken, after) {
        folder.wake()
        const code = hintOf(taken, after)
        if (code === null) return
        const { accountId } = taken.queue
        hint(accountId, code)
        for (const { from } of taken.calls) from?.parcel.hints.push([accountId, code])
      },
    })
    const path = forwarding?.pathOf(bucket) ?? null
    const forwarder =
      forwarding && path !== null
        ? new Forwarder({
            ...place,
            ...limits,
            path,
            shared: forwarding.shared,
            local: committer,
            parcelSize: config.METER_BATCH_SIZE,
            takeBack,
            hint,
          })
        : null
    const lane = { committer, folder, forwarder, takeBack }
    lanes.set(bucket, lane)
    return lane
  }
  const laneOf = (bucket: number): Lane => lanes.get(bucket) ?? open(bucket)

  for (const { bucket } of givenUp.left()) laneOf(bucket)
  const parcels =
    forwarding &&
    acceptParcels({
      path: forwarding.path,
      shared: forwarding.shared,
      committerOf: (bucket) => (forwarding.pathOf(bucket) === null ? laneOf(bucket).committer : null),
      log,
    })
  return {
    of(bucket) {
      const { committer, forwarder } = laneOf(bucket)
      return forwarder ?? committer
    },
    buckets: () => [...lanes.keys()],
    markCreditsChanged(accountId) {
      for (const { committer, forwarder } of lanes.values()) {
        committer.markCreditsChanged(accountId)
        forwarder?.markCreditsChanged(accountId)
      }
    },
    figures() {
      const sum = { waiting: 0, batches: 0, settled: 0, unavailable: 0, forwarded: 0, fallbacks: 0 }
      for (const { committer, forwarder } of lanes.values()) {
        const parts: Partial<MeterFigures>[] = [committer.figures(), forwarder?.figures() ?? {}]
        for (const part of parts)
          for (const name of Object.keys(sum) as (keyof MeterFigures)[]) sum[name] += part[name] ?? 0
      }
      return sum
    },
    async close() {
      parcels?.stopTaking()
      await Promise.all([...lanes.values()].map(({ forwarder }) => forwarder?.close()))
      await Promise.all([...lanes.values()].flatMap(({ committer, takeBack }) => [committer.close(), takeBack.close()]))
      await Promise.all([parcels?.close(), ...[...lanes.values()].map(({ folder }) => folder.close())])
    },
  }
}

/** What a batch showed about an account: whether its next calls need not run. */
function hintOf({ queue }: QueuedCalls, { blocked, refused, spendable }: AccountAfter): AccountHint[1] | null {
  if (queue.creditsChanged) return null
  if (blocked) return 'account_suspended'
  return refused && spendable === 0 ? 'insufficient_credits' : null
}
