import { useCallback, useEffect, useState } from 'react'
import type { LogEntry } from './log-entry.ts'
import { saveCalls, savedCalls } from './saved-calls.ts'

const maxEntries = 200
const none: LogEntry[] = []

/** The user's log, newest first. Tool calls survive a reload, without their messages. */
export function useCallLog(userId: string | undefined) {
  const [{ owner, entries }, set] = useState({ owner: userId, entries: userId ? savedCalls(userId) : none })
  useEffect(() => {
    set((log) => (log.owner === userId ? log : { owner: userId, entries: userId ? savedCalls(userId) : none }))
  }, [userId])
  useEffect(() => {
    if (owner) saveCalls(owner, entries)
  }, [owner, entries])
  /** Returns the id of the entry. */
  const note = useCallback((entry: Omit<LogEntry, 'id' | 'at'>): string => {
    const whole = { ...entry, id: crypto.randomUUID(), at: new Date() }
    set((log) => ({ ...log, entries: [whole, ...log.entries].slice(0, maxEntries) }))
    return whole.id
  }, [])
  const clearLog = useCallback(() => set((log) => ({ ...log, entries: none })), [])
  return { log: entries, note, clearLog }
}
