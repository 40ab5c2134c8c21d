import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Queryable } from './database.ts'

export interface FunctionFile {
  /** Without `.sql`. */
  name: string
  text: string
  sha256: string
}

export async function readFunctions(folder: string): Promise<FunctionFile[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(folder, name), 'utf8')
      return { name: name.replace(/\.sql$/, ''), text, sha256: createHash('sha256').update(text).digest('hex') }
    }),
  )
}

/**
 * Applies the files whose text is not in effect, unless a newer release has applied its own: an older server that
 * starts at the same time changes nothing. Returns the names of the applied files. The caller opens the transaction.
 * `bucket`: the schema of a bucket, for its functions; they are created in the first schema of the search path.
 */
export async function applyFunctions(
  tx: Queryable,
  files: FunctionFile[],
  release: number,
  bucket?: string,
): Promise<string[]> {
  const recorded = (name: string): string => (bucket === undefined ? name : `${bucket}/${name}`)
  // When servers start together, the second one waits here and sees what the first one has committed.
  await sql`select pg_advisory_xact_lock(hashtext('applied_functions'))`.execute(tx)
  // Not created in a migration, because the migrations themselves need functions.
  await sql`create table if not exists public.applied_functions (
    file text primary key, sha256 text not null, release int not null, applied_at timestamptz not null default now())`.execute(
    tx,
  )
  const applied = new Map(
    (await tx.selectFrom('applied_functions').selectAll().execute()).map((row) => [row.file, row]),
  )
  if ([...applied.values()].some((row) => row.release > release)) return []
  const changed = files.filter(({ name, sha256 }) => applied.get(recorded(name))?.sha256 !== sha256)
  for (const { name, text } of changed)
    await sql
      .raw(text)
      .execute(tx)
      .catch((error) => {
        const folder = bucket === undefined ? 'functions' : 'functions/bucket'
        throw new Error(`server/db/${folder}/${name}.sql failed: ${String(error)}`, { cause: error })
      })
  // Includes unchanged files: their text is now recorded under this release, so an older one cannot restore its own.
  await tx
    .insertInto('applied_functions')
    .values(files.map(({ name, sha256 }) => ({ file: recorded(name), sha256, release })))
    .onConflict((conflict) =>
      conflict
        .column('file')
        .doUpdateSet({
          sha256: sql`excluded.sha256`,
          release: sql`excluded.release`,
          applied_at: sql`now()`,
        })
        .where(
          sql<boolean>`(applied_functions.sha256, applied_functions.release) <> (excluded.sha256, excluded.release)`,
        ),
    )
    .execute()
  return changed.map(({ name }) => recorded(name))
}
