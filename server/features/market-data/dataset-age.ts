import type { Manifest } from './manifest.ts'

export interface DatasetAge {
  dataset: string
  retrieved_at: string
  /** Since the source was last read without a problem. */
  age_hours: number
  stale: boolean
}

/** How old a fetched dataset is; null for one that no connector fetches. */
export function ageOf(manifest: Manifest, nowMs: number): DatasetAge | null {
  const { id, retrieved_at, stale_after_hours = Number.POSITIVE_INFINITY } = manifest
  if (!retrieved_at) return null
  const hours = (nowMs - Date.parse(retrieved_at)) / 3_600_000
  return {
    dataset: id,
    retrieved_at,
    age_hours: Math.max(0, Math.round(hours * 10) / 10),
    stale: hours > stale_after_hours,
  }
}

/** Seconds since the source was last read without a problem. */
export const secondsSince = ({ retrieved_at }: Pick<DatasetAge, 'retrieved_at'>, nowMs: number): number =>
  Math.max(0, (nowMs - Date.parse(retrieved_at)) / 1000)

/** What to tell readers of data whose source has not been read for too long. */
export function staleWarnings(manifest: Manifest, nowMs: number): string[] {
  const age = ageOf(manifest, nowMs)
  return age?.stale ? [`Not refreshed since ${age.retrieved_at}; newer data may exist at the source.`] : []
}
