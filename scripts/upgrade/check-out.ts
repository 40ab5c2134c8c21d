import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import noted from './previous-release.json' with { type: 'json' }

const root = dirname(dirname(import.meta.dirname))
const git = (...args: string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
const has = (ref: string): boolean =>
  spawnSync('git', ['cat-file', '-e', `${ref}^{commit}`], { cwd: root }).status === 0

/**
 * The release before this tree: the newest tag on an earlier commit or, if tags have not been fetched, the commit in
 * previous-release.json. Throws a sentence if this clone has neither.
 */
export function previousRelease(): string {
  const tags = git('tag', '--list', 'v*', '--sort=-version:refname', '--merged').split('\n').filter(Boolean)
  const own = git('tag', '--points-at', 'HEAD').split('\n')
  const ref = tags.find((tag) => !own.includes(tag)) ?? noted.commit
  if (!has(ref))
    throw new Error(
      `This clone does not have ${ref} (release ${noted.release}): git fetch --tags --unshallow, or name a commit with --from.`,
    )
  return ref
}

/** Puts the files of `ref` into `folder` and installs its packages as its own lockfile says. */
export function checkOut(ref: string, folder: string, say: (line: string) => void): string {
  mkdirSync(folder)
  const files = spawnSync('git', ['archive', ref], { cwd: root, maxBuffer: 1 << 30 })
  if (files.status !== 0) throw new Error(`git does not know ${ref} here.`)
  execFileSync('tar', ['-x', '-C', folder], { input: files.stdout })
  const { version } = readPackage(folder)
  say(`Installing the packages of ${version} (${ref}) ...`)
  const npm = (errors: 2 | 'ignore', ...args: string[]) =>
    spawnSync('npm', [...args, '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: folder,
      stdio: ['ignore', 'ignore', errors],
    }).status === 0
  // Lockfiles before decision 7 lacked the packages of other platforms, which npm ci treats as an error.
  if (!npm('ignore', 'ci') && !npm(2, 'install', '--no-save'))
    throw new Error(`The packages of ${ref} could not be installed.`)
  return version
}

/**
 * Makes the release after this one in `folder`: this tree with the next minor version, a migration that adds a column to
 * tables that every call uses, and the same functions with a different text.
 */
export function makeNext(folder: string): string {
  for (const name of ['contract', 'data', 'datasets', 'sandbox', 'server', 'web/styles', 'package.json'])
    cpSync(join(root, name), join(folder, name), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const about = readPackage(folder)
  const [major, minor] = about.version.split('.').map(Number)
  about.version = `${major}.${minor! + 1}.0`
  writeFileSync(join(folder, 'package.json'), JSON.stringify(about))
  const db = join(folder, 'server/db')
  const tables = { '': ['api_keys'], 'bucket/': ['credit_accounts', 'usage_events', 'meter_batches', 'idempotency'] }
  for (const [part, names] of Object.entries(tables))
    writeFileSync(
      join(db, 'migrations', `${part}9999_rehearsal.sql`),
      names.map((table) => `alter table ${table} add column rehearsal int not null default 0;`).join('\n'),
    )
  for (const name of ['meter_commit', 'meter_commit_exact', 'meter_void', 'usage_fold']) {
    const file = join(db, 'functions/bucket', `${name}.sql`)
    writeFileSync(file, `${readFileSync(file, 'utf8')}\n-- Of the next release.\n`)
  }
  return about.version
}

const readPackage = (folder: string) =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }
