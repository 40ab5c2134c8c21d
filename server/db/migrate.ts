import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Kysely, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import packageJson from '../../package.json' with { type: 'json' }
import { applyFunctions, type FunctionFile, readFunctions, releaseNumber } from './apply-functions.ts'
import type { Database } from './database.ts'
import type { DB } from './schema.gen.ts'
import { takeOver } from './take-over.ts'

const migrationsFolder = join(import.meta.dirname, 'migrations')
const functionsFolder = join(import.meta.dirname, 'functions')

/**
 * Brings the database up to this release: applies the pending files of `migrations/` in order and the changed files of
 * `functions/`, in one transaction. Kysely's migrator takes an advisory lock, so servers that start together do it once.
 * Returns the names of what was applied. Throws on the first failure, and for a database of a newer release.
 */
export async function migrate(db: Database, folder = migrationsFolder): Promise<string[]> {
  const functions = await readFunctions(functionsFolder)
  const finish = (tx: Kysely<DB>) => applyFunctions(tx, functions, releaseNumber(packageJson.version))
  const migrations = await readMigrations(folder, functions, finish)
  await db.kysely
    .transaction()
    .execute((tx) => takeOver(tx, functions, Object.keys(migrations)))
    .catch(cannotBeUsed)
  const migrator = new Migrator({ db: db.kysely, provider: { getMigrations: async () => migrations } })
  const { error, results } = await migrator.migrateToLatest()
  const failed = results?.find((result) => result.status === 'Error')
  if (error && failed) throw new Error(`Migration ${failed.migrationName} failed: ${String(error)}`, { cause: error })
  if (error) cannotBeUsed(error)
  const applied = results?.map((result) => result.migrationName) ?? []
  // If migrations are pending, the last of them has already applied the functions.
  return applied.length > 0 ? applied : db.kysely.transaction().execute(finish)
}

function cannotBeUsed(error: unknown): never {
  throw new Error(`The database cannot be used: ${(error as Error).message}`, { cause: error })
}

async function readMigrations(
  folder: string,
  functions: FunctionFile[],
  finish: (tx: Kysely<DB>) => Promise<unknown>,
): Promise<Record<string, Migration>> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  const entries = names.map(async (name): Promise<[string, Migration]> => {
    const text = await readFile(join(folder, name), 'utf8')
    const up = async (tx: Kysely<DB>) => {
      for (const needed of neededBy(text, functions)) await sql.raw(needed.text).execute(tx)
      await sql.raw(text).execute(tx)
      // In the migrations' transaction: no server ever sees the new tables with the old functions.
      if (name === names.at(-1)) await finish(tx)
    }
    return [name.replace(/\.sql$/, ''), { up }]
  })
  return Object.fromEntries(await Promise.all(entries))
}

/** The function files that a migration names in its first line: `-- needs: app_now, alert_below`. */
function neededBy(text: string, functions: FunctionFile[]): FunctionFile[] {
  const names = /^-- needs: (.+)\n/.exec(text)?.[1]?.split(', ') ?? []
  return names.map((name) => {
    const file = functions.find((candidate) => candidate.name === name)
    if (!file) throw new Error(`there is no server/db/functions/${name}.sql`)
    return file
  })
}
