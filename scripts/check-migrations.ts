/**
 * Checks the files of server/db against the rules in CONTRIBUTING.md ("Database"). `--release` records the migrations
 * that the version in package.json releases: from then on they may not change.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import packageJson from '../package.json' with { type: 'json' }
import { bucketProblems, callProblems, functionNames } from './bucket-sql.ts'
import { compatibilityProblems } from './compatible-migration.ts'

/** Texts by file name. */
export type Texts = Record<string, string>
/** Released migrations by file name. */
export type Released = Record<string, { release: string; sha256: string }>

export const hash = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Problems of the migrations and function files, one sentence each, for a release of the version `releasing` if given. */
export function findProblems(migrations: Texts, functions: Texts, released: Released, releasing?: string): string[] {
  return [
    ...numberProblems(Object.keys(migrations).sort(), Object.keys(released).sort().at(-1), released),
    ...Object.entries(released).flatMap(([file, { release, sha256 }]) => {
      const text = migrations[file]
      if (text === undefined) return [`${file} is missing: it was released with ${release}`]
      return hash(text) === sha256
        ? []
        : [`${file} was changed after its release with ${release}: write a new migration instead`]
    }),
    ...Object.entries(migrations)
      .filter(([, text]) => definitions(text).length > 0)
      .map(([file, text]) => `${file} defines ${definitions(text)[0]?.name}: functions live in server/db/functions`),
    ...Object.entries(migrations)
      .filter(([file]) => !released[file])
      .flatMap(([file, text]) =>
        compatibilityProblems(file, text, releasing ?? packageJson.version, releasing !== undefined),
      ),
    ...functionProblems(functions),
  ]
}

function numberProblems(files: string[], lastReleased: string | undefined, released: Released): string[] {
  return files.flatMap((file, index) => {
    if (!/^\d{4}_[a-z0-9_]+\.sql$/.test(file)) return [`${file} is not named like 0001_subject.sql`]
    const number = file.slice(0, 4)
    const previous = files[index - 1]
    if (previous?.startsWith(number)) return [`${file} has the number of ${previous}`]
    if (lastReleased && !released[file] && file < lastReleased)
      return [`${file} is out of order: ${lastReleased} is released, a new migration needs a higher number`]
    return []
  })
}

function functionProblems(functions: Texts): string[] {
  const places = new Map<string, string>()
  return Object.entries(functions).flatMap(([file, text]) =>
    definitions(text).flatMap(({ name, replaces }) => {
      const other = places.get(name)
      places.set(name, file)
      if (other && other !== file) return [`${file} defines ${name}, which ${other} defines too`]
      return replaces ? [] : [`${file} creates ${name} without "or replace": a function file is applied again`]
    }),
  )
}

/** The functions and triggers that a text defines; a trigger's name is unique within its table. */
function definitions(text: string): { name: string; replaces: boolean }[] {
  const pattern = /^\s*create\s+(or\s+replace\s+)?(function|procedure|trigger)\s+(\w+)([^;]*?\son\s+(\w+))?/gim
  return [...text.matchAll(pattern)].map(([, replaces, kind, name, , table]) => ({
    name: kind?.toLowerCase() === 'trigger' ? `trigger ${name} on ${table}` : `function ${name}`,
    replaces: replaces !== undefined,
  }))
}

/** The server's own TypeScript, without tests and what only they use. */
const serverSources = (folder: string): Texts =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !/\.test\.ts$|testing\//.test(file))
      .map((file) => [`server/${file}`, readFileSync(join(folder, file), 'utf8')]),
  )

if (import.meta.main) {
  const folder = join(import.meta.dirname, '../server/db')
  const list = join(folder, 'released-migrations.json')
  const read = (name: string): Texts =>
    Object.fromEntries(
      readdirSync(join(folder, name))
        .filter((file) => file.endsWith('.sql'))
        .map((file) => [file, readFileSync(join(folder, name, file), 'utf8')]),
    )
  const released: Released = JSON.parse(readFileSync(list, 'utf8'))
  const releasing = process.argv.includes('--release')
  const problems = ['', 'bucket/'].flatMap((part) => {
    const own = Object.fromEntries(
      Object.entries(released).flatMap(([file, row]) =>
        file.startsWith('bucket/') === (part !== '') ? [[file.slice(part.length), row]] : [],
      ),
    )
    const version = releasing ? packageJson.version : undefined
    const [migrations, functions] = [read(`migrations/${part}`), read(`functions/${part}`)]
    return [
      ...findProblems(migrations, functions, own, version),
      ...(part ? bucketProblems({ ...migrations, ...functions }) : []),
    ]
  })
  problems.push(...callProblems(serverSources(join(folder, '..')), functionNames(read('functions/bucket'))))
  for (const problem of problems) console.error(problem)
  process.exitCode = problems.length > 0 ? 1 : 0
  if (problems.length === 0 && releasing) {
    for (const part of ['', 'bucket/'])
      for (const [file, text] of Object.entries(read(`migrations/${part}`)))
        released[`${part}${file}`] ??= { release: packageJson.version, sha256: hash(text) }
    writeFileSync(list, `${JSON.stringify(released, null, 2)}\n`)
  }
}
