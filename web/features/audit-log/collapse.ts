import type { AuditEntry } from '#contract/account-data.ts'

/** A run of equal entries as one: the newest of them, and how many there were. */
export interface AuditRun {
  entry: AuditEntry
  count: number
}

/** Joins neighbours that differ in time only, such as keys that a dashboard shows again and again. */
export function collapse(entries: readonly AuditEntry[]): AuditRun[] {
  const runs: AuditRun[] = []
  for (const entry of entries) {
    const last = runs.at(-1)
    if (last && sameAct(last.entry, entry)) last.count += 1
    else runs.push({ entry, count: 1 })
  }
  return runs
}

const sameAct = (a: AuditEntry, b: AuditEntry) =>
  a.action === b.action &&
  a.actor.name === b.actor.name &&
  a.target === b.target &&
  JSON.stringify(a.detail) === JSON.stringify(b.detail)
