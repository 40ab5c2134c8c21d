/** Regenerates server/db/schema.gen.ts from the migrations, on a temporary database. `--check` only compares. */
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '#server/db/database.ts'
import { startEmbedded } from '#server/db/embedded.ts'
import { migrate } from '#server/db/migrate.ts'
import { installPackage } from './install-package.ts'

const generator = join(import.meta.dirname, '../packages/kysely-codegen')
installPackage(generator)
const target = join(import.meta.dirname, '../server/db/schema.gen.ts')
const check = process.argv.includes('--check')
const dir = await mkdtemp(join(tmpdir(), 'finmeter-types-'))
const server = await startEmbedded(dir, randomBytes(8).toString('hex'), { flags: ['fsync=off'] })
try {
  const db = openDatabase(server.connectionString, 4, () => {})
  await migrate(db)
  await db.close()
  const out = check ? join(dir, 'schema.gen.ts') : target
  execFileSync(
    process.execPath,
    [
      join(generator, 'node_modules/kysely-codegen/dist/cli/bin.js'),
      '--dialect',
      'postgres',
      '--url',
      server.connectionString,
      '--out-file',
      out,
      '--numeric-parser',
      'number',
      '--default-schema',
      'public',
      '--default-schema',
      'm00',
      '--exclude-pattern',
      '{kysely_*,usage_events_*,graphile_worker.*,metering.*}',
      '--overrides',
      '{}',
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  )
  const text = (await readFile(out, 'utf8')).replace(
    /^export type Int8 =.*$/m,
    'export type Int8 = ColumnType<number, number | bigint | string, number | bigint | string>;',
  )
  if (check && text !== (await readFile(target, 'utf8'))) {
    console.error('server/db/schema.gen.ts does not match the migrations: run npm run db:types')
    process.exitCode = 1
  } else if (!check) {
    const { writeFile } = await import('node:fs/promises')
    await writeFile(target, text)
  }
} finally {
  await server.stop()
  await rm(dir, { recursive: true, force: true })
}
