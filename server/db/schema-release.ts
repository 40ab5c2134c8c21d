import { sql } from 'kysely'
import type { Queryable } from './database.ts'

/** A release as a number that only grows: 1.2.3 becomes 1,002,003. */
export function releaseNumber(version: string): number {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map((part) => Number.parseInt(part, 10))
  return major * 1_000_000 + minor * 1_000 + patch
}

/** The reverse: 1,002,003 becomes 1.2.3. */
export const releaseName = (release: number): string =>
  `${Math.floor(release / 1_000_000)}.${Math.floor(release / 1_000) % 1_000}.${release % 1_000}`

/** No earlier release reads what the first migrations made. */
const FIRST = releaseNumber('0.2.0')

/**
 * The oldest release whose servers work on a database with these migrations. A migration that removes something names
 * the release that no longer used it: `-- contract: 0.3.0`.
 */
export const servesFrom = (migrationTexts: string[]): number =>
  Math.max(FIRST, ...migrationTexts.flatMap((text) => contractOf(text) ?? []))

/** The release of a migration's `-- contract:` line; null: it only adds. */
export function contractOf(text: string): number | null {
  const version = /^-- contract: (\d+\.\d+\.\d+)$/m.exec(text)?.[1]
  return version === undefined ? null : releaseNumber(version)
}

/**
 * Records which release has migrated the database, and the oldest release whose servers work on it, so that an older server
 * can tell. The caller opens the transaction.
 */
export async function noteRelease(tx: Queryable, release: number, oldest: number): Promise<void> {
  // Not in a migration: this is how releases without a migration are known, too.
  await sql`create table if not exists schema_release (
    only_row boolean primary key default true check (only_row), release int not null, serves_from int not null,
    migrated_at timestamptz not null default now())`.execute(tx)
  await sql`insert into schema_release (release, serves_from) values (${release}, ${oldest})
    on conflict (only_row) do update set release = excluded.release, serves_from = excluded.serves_from, migrated_at = now()
    where schema_release.release < excluded.release
      or (schema_release.release = excluded.release and schema_release.serves_from < excluded.serves_from)`.execute(tx)
}
