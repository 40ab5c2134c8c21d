/** Data that may be evicted from memory unless it is pinned. */
export interface Pinned {
  /** Calls that need it now. */
  pins: number
  /** When it was last read; 0: evict it first. */
  usedAt: number
}

/** Keeps data in memory until it is released. A read may end after the call that wanted it: then it keeps nothing. */
export class DataLease {
  readonly #loaded: Pinned[] = []
  #held: Pinned[] | null = []

  /** `loaded`: it was read for this lease. */
  keep(data: Pinned, loaded: boolean): void {
    if (!this.#held) return
    data.pins += 1
    this.#held.push(data)
    if (loaded) this.#loaded.push(data)
  }

  release(): void {
    for (const data of this.#held ?? []) data.pins -= 1
    this.#held = null
  }

  /** What was read for this lease is the first to make room. For streams, which pass everything once. */
  releaseAsOld(): void {
    this.release()
    for (const data of this.#loaded) data.usedAt = 0
  }
}

/** Reads data into memory, and `ahead` more blocks after it. */
export type LoadData = (lease: DataLease, ahead: number) => Promise<unknown>

/**
 * Thrown by a read of data that is not in memory. Whoever runs a call loads it and runs the call again, so that the
 * code between stays synchronous, and calls for data in memory cost no promise. Not an Error: it is nobody's mistake, and
 * a stack would cost more than the lookup.
 */
export class NotInMemory {
  readonly #loads: LoadData[]

  constructor(loads: LoadData[]) {
    this.#loads = loads
  }

  async load(lease: DataLease, ahead = 0): Promise<void> {
    const loaded = await Promise.allSettled(this.#loads.map((load) => load(lease, ahead)))
    for (const one of loaded) if (one.status === 'rejected') throw one.reason
  }

  /** Does `work` for each, and throws one report of everything that was missing, so that it is loaded at once. */
  static forEach<T, R>(items: readonly T[], work: (item: T) => R): R[] {
    const results: R[] = []
    const missing: LoadData[] = []
    for (const item of items) {
      try {
        results.push(work(item))
      } catch (error) {
        if (!(error instanceof NotInMemory)) throw error
        missing.push(...error.#loads)
      }
    }
    if (missing.length > 0) throw new NotInMemory(missing)
    return results
  }
}

/**
 * Runs `work`, which must have no effects, until everything that it reads is in memory. It stays there until the lease is
 * released. Returns synchronously when nothing is missing.
 */
export function withData<T>(work: () => T, lease: DataLease, ahead = 0): T | Promise<Awaited<T>> {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof NotInMemory)) throw error
    return error.load(lease, ahead).then(() => withData(work, lease, ahead)) as Promise<Awaited<T>>
  }
}
