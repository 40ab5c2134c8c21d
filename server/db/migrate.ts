import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import type { Database } from './database.ts'

export const migrationsFolder = join(import.meta.dirname, 'migrations')

/**
 * Applies the numbered SQL files of `migrations/` in order, each in one transaction. Kysely's migrator takes an
 * advisory lock first, so instances that start together run them once. Throws on the first failure.
 */
export async function migrate(db: Database, folder = migrationsFolder): Promise<string[]> {
  const migrator = new Migrator({
    db: db.kysely,
    provider: { getMigrations: () => readMigrations(folder) },
    // Numbers belong to areas (0020 metering, 0040 playground): a new file may stand before one that was applied.
    allowUnorderedMigrations: true,
  })
  const { error, results } = await migrator.migrateToLatest()
  const failed = results?.find((result) => result.status === 'Error')
  if (error && failed) throw new Error(`Migration ${failed.migrationName} failed: ${String(error)}`, { cause: error })
  if (error) throw new Error(`The database cannot be used: ${(error as Error).message}`, { cause: error })
  return results?.map((result) => result.migrationName) ?? []
}

async function readMigrations(folder: string): Promise<Record<string, Migration>> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  const entries = names.map(async (name): Promise<[string, Migration]> => {
    const text = await readFile(join(folder, name), 'utf8')
    return [name.replace(/\.sql$/, ''), { up: async (db) => void (await sql.raw(text).execute(db)) }]
  })
  return Object.fromEntries(await Promise.all(entries))
}
