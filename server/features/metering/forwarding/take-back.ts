import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Session } from '../../../db/database.ts'
import { BatchConnection, type BatchTimeouts } from '../batch-connection.ts'
import type { GivenUpBatches } from '../given-up.ts'
import type { BatchPart } from '../void-moved.ts'
import { takeParcelBack } from './claim-parcel.ts'

interface TakeBackOptions {
  bucket: number
  session: () => Session
  timeouts: BatchTimeouts
  log: Logger
  givenUp: GivenUpBatches
  /** Called for each part of a batch that was taken back: its accounts may have moved to another bucket meanwhile. */
  voided: (batch: string, part: BatchPart) => Promise<void>
}

const RETRY_MS = 1_000

/** Takes parcels back whose callers got 503, as soon as the database answers, and those that an earlier process left. */
export class TakeBack {
  readonly #options: TakeBackOptions
  readonly #owed = new Set<string>()
  #running: Promise<void> | null = null
  #closing = false

  constructor(options: TakeBackOptions) {
    this.#options = options
    for (const { bucket, batch, parcel } of options.givenUp.left())
      if (bucket === options.bucket && parcel) this.#start(batch)
  }

  /** Called before the callers get their 503. */
  giveUp(parcel: string): void {
    this.#options.givenUp.note({ bucket: this.#options.bucket, batch: parcel, parcel: true })
    this.#start(parcel)
  }

  async close(): Promise<void> {
    this.#closing = true
    await this.#running
  }

  #start(parcel: string): void {
    this.#owed.add(parcel)
    this.#running ??= this.#run().finally(() => {
      this.#running = null
    })
  }

  async #run(): Promise<void> {
    const { bucket, session, timeouts, givenUp, voided, log } = this.#options
    const connection = new BatchConnection(session, timeouts)
    while (this.#owed.size > 0) {
      try {
        for (const parcel of this.#owed) {
          for (const [batch, part] of await takeParcelBack(connection, parcel)) await voided(batch, part)
          this.#owed.delete(parcel)
          givenUp.forget({ bucket, batch: parcel, parcel: true })
          log.warn({ parcel }, 'took forwarded calls with unknown outcome back: nothing of them is charged')
        }
      } catch (error) {
        if (this.#closing) {
          log.error(
            { parcels: [...this.#owed], reason: String(error) },
            'stopped before these parcels could be taken back: the next server that starts in this data directory will do it',
          )
          break
        }
        await sleep(RETRY_MS)
      }
    }
    await connection.close()
  }
}
