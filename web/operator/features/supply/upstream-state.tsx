import { Badge } from '../../../ui/badge.tsx'
import type { Upstream } from './queries.ts'

/** What customers can call now, in a word. */
export function UpstreamState({ upstream: { state, servers } }: { upstream: Upstream }) {
  if (state === 'draft') return <Badge>draft</Badge>
  if (state === 'paused') return <Badge tone="warning">paused</Badge>
  if (servers.some(({ problem }) => problem !== null)) return <Badge tone="danger">not served everywhere</Badge>
  if (servers.some(({ breaker }) => breaker === 'open')) return <Badge tone="danger">cannot be reached</Badge>
  return <Badge tone="success">served</Badge>
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
