import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { Deps } from '../../../deps.ts'
import type { Health } from '../request/upstream-client.ts'

const EVERY_MS = 10_000

/** What a server says of an upstream that it was told to serve. */
export interface Report {
  version: number
  /** The change that told it so, as `servedVersions` has it. */
  changed: string
  /** Why it does not serve the version, or a part of it; null: it does. Names what is missing, and no value. */
  problem: string | null
  /** How the calls of the version that it serves went. Absent: it serves none. */
  health?: Health
}

/** Tells the database, every ten seconds and after each change, that this server runs and what it serves: commands read it there. */
export function createAnnouncement(
  { db: { pool }, log }: Pick<Deps, 'db' | 'log'>,
  healthOf: (upstream: string) => Health | undefined,
) {
  const id = randomUUID()
  const name = `${hostname()} (process ${process.pid})`
  let reports: Record<string, Report> = {}
  let waiting = 0
  let last = Promise.resolve()

  // One after the other, so that no older one replaces a newer one.
  const write = (text: string, values: () => unknown[]): Promise<void> => {
    waiting++
    last = last
      .then(() => pool.query(text, values()))
      .then(() => {})
      .catch((error: Error) => log.warn({ error: error.message }, 'could not tell the database what is served'))
      .finally(() => waiting--)
    return last
  }
  const withHealth = () =>
    Object.fromEntries(
      Object.entries(reports).map(([upstream, one]) => [upstream, { ...one, health: healthOf(upstream) }]),
    )
  const announce = (): Promise<void> =>
    write(
      `insert into upstream_servers (id, name, seen_at, serves) values ($1, $2, clock_timestamp(), $3)
       on conflict (id) do update set seen_at = excluded.seen_at, serves = excluded.serves`,
      () => [id, name, JSON.stringify(withHealth())],
    )
  void write(`delete from upstream_servers where seen_at < clock_timestamp() - interval '1 day'`, () => [])
  const timer = setInterval(() => {
    if (waiting === 0) void announce()
  }, EVERY_MS)
  timer.unref()
  return {
    tell(next: Record<string, Report>): Promise<void> {
      reports = next
      return announce()
    },
    /** This server is no longer waited for. */
    close(): Promise<void> {
      clearInterval(timer)
      return write('delete from upstream_servers where id = $1', () => [id])
    },
  }
}
