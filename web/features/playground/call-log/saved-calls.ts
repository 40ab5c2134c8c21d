import { personalStorage } from '../../../lib/personal-storage.ts'
import type { LogEntry } from './log-entry.ts'

const name = 'playground-calls'
const maxSaved = 50
/** Calls with larger arguments are not saved. */
const maxArgumentsCharacters = 4_000

/** Saves tool calls so that they can be repeated, without messages and results. */
export function saveCalls(userId: string, log: readonly LogEntry[]): void {
  const calls = log
    .filter(({ tool, arguments: args }) => tool !== undefined && JSON.stringify(args).length <= maxArgumentsCharacters)
    .slice(0, maxSaved)
    .map(({ result: _, call, ...entry }) => ({ ...entry, call: { ...call, exchanges: [] } }))
  personalStorage.write(userId, name, calls)
}

/** The calls that `saveCalls` stored; any other value is ignored. */
export function savedCalls(userId: string): LogEntry[] {
  const saved = personalStorage.read(userId, name)
  return (Array.isArray(saved) ? saved : []).flatMap((one) => {
    const at = new Date(one?.at)
    const { id, serverName, label, tool, credits, call } = one ?? {}
    const texts = [id, serverName, label, tool, call?.protocolVersion]
    const figures = [at.getTime(), call?.durationMs, call?.tokens]
    if (!texts.every((value) => typeof value === 'string') || !figures.every(Number.isFinite)) return []
    const report = { durationMs: call.durationMs, tokens: call.tokens, protocolVersion: call.protocolVersion }
    return [
      {
        id,
        at,
        serverName,
        label,
        tool,
        arguments: one.arguments,
        credits: typeof credits === 'number' ? credits : null,
        call: { ...report, exchanges: [] },
        earlier: true,
      },
    ]
  })
}
