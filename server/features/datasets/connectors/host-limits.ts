import type { ConnectorManifest } from './connector.ts'

export interface HostLimits {
  /** Resolves when the next request to `host` may be sent. */
  turn: (host: string) => Promise<void>
}

/** Spaces requests evenly, so that all hosts of a limit together stay below it. An unlisted host gets one a second. */
export function hostLimits(
  limits: ConnectorManifest['limits'],
  now: () => number,
  sleep: (ms: number) => Promise<void>,
): HostLimits {
  const nextAtMs = new Map<string, number>()
  return {
    async turn(host) {
      const limit = limits.find(({ hosts }) => hosts.includes(host))
      const name = limit ? limit.hosts.join() : host
      const gapMs = limit ? (limit.perSeconds * 1000) / limit.requests : 1000
      const atMs = Math.max(now(), nextAtMs.get(name) ?? 0)
      nextAtMs.set(name, atMs + gapMs)
      if (atMs > now()) await sleep(atMs - now())
    },
  }
}
