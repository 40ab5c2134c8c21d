import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from '../../../db/database.ts'
import type { Report } from './announce.ts'

const WAIT_MS = 10_000
const ASK_MS = 200

/**
 * Waits until every server that was seen in the last 30 seconds has said that it serves the published version of an upstream, or what it
 * lacks, at most ten seconds. Returns lines for the operator; `served` is false if a server lacks something or did not answer.
 */
export async function waitForServers({ pool }: Database, id: string): Promise<{ lines: string[]; served: boolean }> {
  const { rows: found } = await pool.query<{ state: string; version: number; changed: string; since: Date }>(
    `select state, published as version, extract(epoch from changed_at)::text as changed, clock_timestamp() - interval '30 seconds' as since
     from upstreams where id = $1`,
    [id],
  )
  const { state, version, changed, since } = found[0]!
  const what = `${id} version ${version}`
  if (state === 'paused')
    return {
      lines: [`${what} is set, but ${id} is paused. Serve it with: npm run upstream -- resume ${id}`],
      served: true,
    }
  const untilMs = performance.now() + WAIT_MS
  for (;;) {
    const { rows: servers } = await pool.query<{ name: string; report: Report | null }>(
      'select name, serves -> $1 as report from upstream_servers where seen_at > $2 order by name',
      [id, since],
    )
    const silent = servers.filter(({ report }) => report?.changed !== changed || report.version !== version)
    if (silent.length > 0 && performance.now() < untilMs) {
      await pause(ASK_MS)
      continue
    }
    if (servers.length === 0)
      return {
        lines: [`${what} is published. No server was seen in the last 30 seconds: servers serve it when they start.`],
        served: true,
      }
    const problems = servers.flatMap((server) => {
      if (silent.includes(server)) return [`  ${server.name}: did not answer within ${WAIT_MS / 1_000} seconds`]
      return server.report!.problem === null ? [] : [`  ${server.name}: ${server.report!.problem}`]
    })
    if (problems.length === 0)
      return {
        lines: [servers.length === 1 ? `${what} is served.` : `${what} is served by ${servers.length} servers.`],
        served: true,
      }
    const serving = servers.length - problems.length
    return {
      lines: [
        `${what} is published, but ${problems.length} of ${servers.length} servers ${problems.length === 1 ? 'does' : 'do'} not serve it${serving > 0 ? '' : ', so customers cannot call it'}:`,
        ...problems,
      ],
      served: false,
    }
  }
}
