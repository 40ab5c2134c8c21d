import { Badge } from '../../../ui/badge.tsx'
import type { Upstream } from './queries.ts'

/** What customers can call now, in a word. */
export function UpstreamState({ upstream: { state, servers } }: { upstream: Upstream }) {
  if (state === 'draft') return <Badge>Draft</Badge>
  if (state === 'paused') return <Badge tone="warning">Paused</Badge>
  if (servers.some(({ problem }) => problem !== null)) return <Badge tone="danger">Not on all servers</Badge>
  if (servers.some(({ breaker }) => breaker === 'open')) return <Badge tone="danger">Cannot be reached</Badge>
  return <Badge tone="success">Published</Badge>
}

/** Calls of all servers together, and the slowest p95 among them. */
export function sumOf(servers: Upstream['servers']) {
  const p95 = servers.flatMap(({ p95_ms }) => p95_ms ?? [])
  return {
    calls: servers.reduce((sum, { calls }) => sum + calls, 0),
    failed: servers.reduce((sum, { failed }) => sum + failed, 0),
    p95Ms: p95.length === 0 ? null : Math.max(...p95),
  }
}

export const changesOf = ({ notes }: Upstream): number => notes.filter(({ kind }) => kind === 'definition').length

/** What an owner may do with it now. */
export const actsOf = ({ state }: Upstream) => [
  ...(state === 'published' ? [{ verb: 'pause', label: 'Pause' } as const] : []),
  ...(state === 'paused' ? [{ verb: 'resume', label: 'Resume' } as const] : []),
  { verb: 'remove', label: 'Remove' } as const,
]
