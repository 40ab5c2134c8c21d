#!/usr/bin/env node
/**
 * Entry of every npm command. Runs on any Node >= 20 without dependencies: installs the locked packages that the command
 * needs, then runs it under the pinned Node. `--all` before the file adds the development packages (tests, checks,
 * benches); without it, what the product and its web build use is enough.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const binDir = join(root, 'node_modules', '.bin')
const pinnedNode = join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
/** Which set is complete in node_modules, "used" or "all", and the hash of what it was made from. */
const stampFile = join(root, 'node_modules', '.finmeter-lock')
/** Exists while a command installs; holds the process IDs of the command and of its npm. */
const installingFile = join(root, '.installing')

const words = process.argv.slice(2)
const needed = words[0] === '--all' ? 'all' : 'used'
const [script, ...args] = needed === 'all' ? words.slice(1) : words
if (!script) {
  console.error('usage: node scripts/bootstrap.mjs [--all] <file.ts> [arguments]')
  process.exit(2)
}
if (Number(process.versions.node.split('.')[0]) < 20) {
  console.error(`Finmeter needs Node 20 or later to install itself; this is ${process.version}. See https://nodejs.org`)
  process.exit(1)
}

if (!isInstalled()) await installAlone()
const env = {
  ...process.env,
  PATH: `${dirname(pinnedNode)}${delimiter}${binDir}${delimiter}${process.env.PATH ?? ''}`,
  // TypeScript is stripped and compiled once, not at every start.
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(root, 'node_modules/.cache/node'),
}
process.exit(
  await run(pinnedNode, ['--disable-warning=ExperimentalWarning', join(root, script), ...args], {
    stdio: 'inherit',
    env,
  }),
)

/**
 * Hash of the lockfile and of npm's own list of what is installed, which changes when, for example, `npm prune` removes
 * packages.
 */
function lockHash() {
  const hash = createHash('sha256')
  for (const file of ['package-lock.json', 'node_modules/.package-lock.json'])
    hash.update(existsSync(join(root, file)) ? readFileSync(join(root, file)) : '').update('\0')
  return hash.digest('hex')
}

/** The set that is in node_modules, complete and from this lockfile; undefined if there is none. */
function installedSet() {
  if (!existsSync(stampFile) || !existsSync(pinnedNode)) return undefined
  const [set, hash] = readFileSync(stampFile, 'utf8').split(' ')
  return hash === lockHash() ? set : undefined
}

function isInstalled() {
  const set = installedSet()
  return set === 'all' || set === needed
}

/** Installs unless another command has done it meanwhile: two npms at once would remove each other's files. */
async function installAlone() {
  for (let said = false; !takeTurn(); await wait(200)) {
    if (!said)
      console.error(
        `Waiting for another command that installs packages (if there is none, delete ${installingFile}) ...`,
      )
    said = true
  }
  try {
    if (!isInstalled()) await install()
  } finally {
    rmSync(installingFile, { force: true })
  }
}

/** Whether this process may install now. The file of a command that was killed, and of its npm, counts no more. */
function takeTurn() {
  try {
    writeFileSync(installingFile, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
  }
  const holders = existsSync(installingFile) ? readFileSync(installingFile, 'utf8') : ''
  if (holders && !holders.split(' ').map(Number).some(isOther)) rmSync(installingFile, { force: true })
  return false
}

/** Whether this ID is of a running process other than this one, whose ID an earlier container may have had. */
function isOther(pid) {
  if (pid === process.pid) return false
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error.code === 'EPERM'
  }
}

/**
 * Adds the development packages to what is used and leaves the rest alone, for a server may run from it; otherwise starts from
 * nothing. The stamp is written last, so that an installation that was killed counts as none. One that only added leaves
 * the stamp of what is used, which is still true.
 */
async function install() {
  const adds = installedSet() === 'used'
  console.error(adds ? 'Adding the development packages ...' : 'Installing packages ...')
  // Half a package, left by an addition that was killed, would pass for a whole one.
  if (adds) for (const path of developmentFolders()) rmSync(join(root, path), { recursive: true, force: true })
  else rmSync(stampFile, { force: true })
  const words = adds
    ? ['install', '--no-save', '--include=dev']
    : ['ci', needed === 'all' ? '--include=dev' : '--omit=dev']
  const options = { cwd: root, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' }
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error']
  const code = await run('npm', [...words, '--prefer-offline', ...quiet], options, (npm) =>
    writeFileSync(installingFile, `${process.pid} ${npm.pid}`),
  )
  if (code !== 0 || !existsSync(pinnedNode)) {
    rmSync(installingFile, { force: true })
    console.error(`npm ${words.join(' ')} did not finish. Run it by hand to see why, then try again.`)
    process.exit(code || 1)
  }
  // The package's own installation, of which it has linked the program: 68 MB of headers, which npm would remove at the next change.
  rmSync(join(root, 'node_modules/node/node_modules'), { recursive: true, force: true })
  writeFileSync(stampFile, `${needed} ${lockHash()}`)
}

/** Folders in node_modules of packages that only development needs. */
function developmentFolders() {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  return Object.keys(packages).filter((path) => packages[path].dev)
}

/** Runs a program until it ends; a signal sent to this process alone must still end it cleanly. Returns its exit code. */
function run(command, args, options, started = () => {}) {
  return new Promise((done) => {
    const child = spawn(command, args, options)
    started(child)
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
    const forward = (signal) => child.kill(signal)
    for (const signal of signals) process.on(signal, forward)
    const end = (code) => {
      for (const signal of signals) process.off(signal, forward)
      done(code ?? 1)
    }
    child.on('error', () => end(1))
    child.on('exit', end)
  })
}
