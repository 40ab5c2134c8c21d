import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import packageJson from '../../package.json' with { type: 'json' }
import { applyFunctions, type FunctionFile, readFunctions } from './apply-functions.ts'
import { bucketSchema, searchPathOf } from './bucket-schema.ts'
import { makeUnionViews } from './bucket-views.ts'
import type { Queryable } from './database.ts'
import { releaseNumber } from './schema-release.ts'

/** What this release puts into each bucket. */
export interface BucketParts {
  migrations: { name: string; text: string }[]
  functions: FunctionFile[]
}

/** The files of `functions/bucket/`, and of `bucket/` in a folder of migrations, if there is one. */
export async function readBucketParts(functionsFolder: string, migrationsFolder: string): Promise<BucketParts> {
  const folder = join(migrationsFolder, 'bucket')
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.sql')).sort()
  const migrations = names.map(async (name) => ({
    name: name.replace(/\.sql$/, ''),
    text: await readFile(join(folder, name), 'utf8'),
  }))
  return { migrations: await Promise.all(migrations), functions: await readFunctions(join(functionsFolder, 'bucket')) }
}

/** Runs everything that follows in this transaction with another search path. */
export const setSearchPath = (tx: Queryable, path: string) =>
  sql`select set_config('search_path', ${path}, true)`.execute(tx)

/**
 * Brings bucket `id` up to this release: makes its schema, applies its pending migrations and changed functions, and
 * renews the views over all buckets. Returns the names of what was applied. The caller opens the transaction, whose search
 * path is that of the bucket afterward.
 */
export async function bringUpBucket(tx: Queryable, id: number, parts: BucketParts): Promise<string[]> {
  const schema = bucketSchema(id)
  await sql`create schema if not exists ${sql.id(schema)}`.execute(tx)
  await sql`insert into public.buckets (id) values (${id}) on conflict do nothing`.execute(tx)
  await setSearchPath(tx, searchPathOf(id))
  const { rows } = await sql<{ name: string }>`
    select name from public.bucket_migrations where bucket = ${id}`.execute(tx)
  const done = new Set(rows.map(({ name }) => name))
  const pending = parts.migrations.filter(({ name }) => !done.has(name))
  for (const { name, text } of pending) {
    for (const needed of neededBy(text, parts.functions)) await sql.raw(needed.text).execute(tx)
    await sql
      .raw(text)
      .execute(tx)
      .catch((cause) => {
        throw Object.assign(new Error(`Migration ${name} of bucket ${schema} failed: ${String(cause)}`, { cause }), {
          code: (cause as { code?: string }).code,
        })
      })
    await sql`insert into public.bucket_migrations (bucket, name) values (${id}, ${name})`.execute(tx)
  }
  const changed = await applyFunctions(tx, parts.functions, releaseNumber(packageJson.version), schema)
  if (pending.length > 0 || changed.length > 0) await fixSearchPaths(tx, id)
  if (pending.length > 0) await makeUnionViews(tx)
  return [...pending.map(({ name }) => `${schema}/${name}`), ...changed.map((name) => `function ${name}`)]
}

/** Citus creates and calls functions on other nodes, whose sessions have another search path. */
async function fixSearchPaths(tx: Queryable, id: number): Promise<void> {
  await sql
    .raw(`do $$ declare f regprocedure; begin
      for f in select oid from pg_proc where pronamespace = '${bucketSchema(id)}'::regnamespace and proconfig is null loop
        execute format('alter function %s set search_path = ${searchPathOf(id)}', f);
      end loop;
    end $$`)
    .execute(tx)
}

/** The function files that a migration names in a line at its top: `-- needs: app_now, alert_below`. */
export function neededBy(text: string, functions: FunctionFile[]): FunctionFile[] {
  const names = /^-- needs: (.+)\n/m.exec(text)?.[1]?.split(', ') ?? []
  return names.map((name) => {
    const file = functions.find((candidate) => candidate.name === name)
    if (!file) throw new Error(`there is no server/db/functions/${name}.sql`)
    return file
  })
}
