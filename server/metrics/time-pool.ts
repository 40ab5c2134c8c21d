import type { Pool } from 'pg'
import type { Metrics } from './metrics.ts'

/** Measures how long each query waits for a connection. Queries of the pool and of Kysely all go through `connect`. */
export function timePool(pool: Pool, metrics: Pick<Metrics, 'poolWait'>): void {
  const connect = pool.connect.bind(pool)
  const timed = (callback?: Parameters<Pool['connect']>[0]) => {
    const startedAtMs = performance.now()
    const note = (): void => metrics.poolWait(performance.now() - startedAtMs)
    if (!callback) return connect().finally(note)
    return connect((...got) => {
      note()
      callback(...got)
    })
  }
  pool.connect = timed as Pool['connect']
}
