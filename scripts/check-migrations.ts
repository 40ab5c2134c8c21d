/**
 * Checks the files of server/db against the rules in CONTRIBUTING.md ("Database"). `--release` records the migrations
 * that the version in package.json releases: from then on they may not change.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import packageJson from '../package.json' with { type: 'json' }

/** Texts by file name. */
export type Texts = Record<string, string>
/** Released migrations by file name. */
export type Released = Record<string, { release: string; sha256: string }>

export const hash = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Problems of the migrations and function files, one sentence each. */
export function findProblems(migrations: Texts, functions: Texts, released: Released): string[] {
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

if (import.meta.main) {
  const folder = join(import.meta.dirname, '../server/db')
  const list = join(folder, 'released-migrations.json')
  const read = (name: string): Texts =>
    Object.fromEntries(
      readdirSync(join(folder, name)).map((file) => [file, readFileSync(join(folder, name, file), 'utf8')]),
    )
  const migrations = read('migrations')
  const released: Released = JSON.parse(readFileSync(list, 'utf8'))
  const problems = findProblems(migrations, read('functions'), released)
  for (const problem of problems) console.error(problem)
  process.exitCode = problems.length > 0 ? 1 : 0
  if (problems.length === 0 && process.argv.includes('--release')) {
    for (const [file, text] of Object.entries(migrations))
      released[file] ??= { release: packageJson.version, sha256: hash(text) }
    writeFileSync(list, `${JSON.stringify(released, null, 2)}\n`)
  }
}
