import type { AuditEntry } from '#contract/account-data.ts'

/** A run of equal entries: the newest one, and the count. */
export interface AuditRun {
  entry: AuditEntry
  count: number
}

/** Merges adjacent entries that differ only in time, such as repeated key reveals. */
export function collapse(entries: readonly AuditEntry[]): AuditRun[] {
  const runs: AuditRun[] = []
  for (const entry of entries) {
    const last = runs.at(-1)
    if (last && sameAction(last.entry, entry)) last.count += 1
    else runs.push({ entry, count: 1 })
  }
  return runs
}

const sameAction = (a: AuditEntry, b: AuditEntry) =>
  a.action === b.action &&
  a.actor.name === b.actor.name &&
  a.target === b.target &&
  JSON.stringify(a.detail) === JSON.stringify(b.detail)
