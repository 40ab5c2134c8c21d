import type { AuditEntry } from '#contract/account-data.ts'
import { formatWeekday } from '../../lib/format.ts'
import { detailText } from './entry-text.ts'

/** Entries of one day that read the same. */
export interface AuditRun {
  /** The newest of them. */
  entry: AuditEntry
  count: number
  /** The time of the oldest. */
  since: string
}

/** A day in the time zone of the shop or the reader, by its name. */
export interface AuditDay {
  day: string
  runs: AuditRun[]
}

/** The entries by day, newest first. Within a day, those that read the same are one run. */
export function byDay(entries: readonly AuditEntry[]): AuditDay[] {
  const days = new Map<string, Map<string, AuditRun>>()
  for (const entry of entries.toSorted((a, b) => Date.parse(b.time) - Date.parse(a.time) || b.id - a.id)) {
    const day = formatWeekday(entry.time)
    const runs = days.get(day) ?? new Map<string, AuditRun>()
    days.set(day, runs)
    const reading = JSON.stringify([entry.action, entry.actor, detailText(entry)])
    const run = runs.get(reading)
    if (run) Object.assign(run, { count: run.count + 1, since: entry.time })
    else runs.set(reading, { entry, count: 1, since: entry.time })
  }
  return [...days].map(([day, runs]) => ({ day, runs: [...runs.values()] }))
}
