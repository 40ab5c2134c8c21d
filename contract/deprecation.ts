/** When something was deprecated and when it ends. Dates in UTC, as `2026-01-31`. */
export interface Deprecation {
  since: string
  /** The day from which it may be missing. Absent: not decided. */
  ends?: string
  /** What to use instead: a sentence. */
  instead: string
}
