#!/usr/bin/env node
/**
 * Entry of every npm command. Runs on any Node >= 20 without dependencies: installs the locked packages when
 * node_modules is missing, was made from another lockfile or was changed since, then runs the command under the pinned
 * Node.
 */
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const binDir = join(root, 'node_modules', '.bin')
const pinnedNode = join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
const stampFile = join(root, 'node_modules', '.finmeter-lock')

const [script, ...args] = process.argv.slice(2)
if (!script) {
  console.error('usage: node scripts/bootstrap.mjs <file.ts> [arguments]')
  process.exit(2)
}
if (Number(process.versions.node.split('.')[0]) < 20) {
  console.error(`Finmeter needs Node 20 or later to install itself; this is ${process.version}. See https://nodejs.org`)
  process.exit(1)
}

installWhenStale()
run()

/**
 * Hash of the lockfile and of npm's own list of what is installed, which changes when, for example, `npm prune --omit=dev`
 * removes what builds the web.
 */
function lockHash() {
  const hash = createHash('sha256')
  for (const file of ['package-lock.json', 'node_modules/.package-lock.json'])
    hash.update(existsSync(join(root, file)) ? readFileSync(join(root, file)) : '').update('\0')
  return hash.digest('hex')
}

/** Compares the hash with the one noted after the last complete installation. */
function installWhenStale() {
  const installed = existsSync(stampFile) && existsSync(pinnedNode) ? readFileSync(stampFile, 'utf8') : ''
  if (installed === lockHash()) return
  console.error('Installing packages ...')
  // The web is built here, in production too, where npm would leave out the packages that build it.
  const npm = spawnSync('npm', ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  })
  if (npm.status !== 0 || !existsSync(pinnedNode)) {
    console.error('npm ci did not finish. Run it by hand to see why, then try again.')
    process.exit(npm.status || 1)
  }
  writeFileSync(stampFile, lockHash())
}

function run() {
  const env = {
    ...process.env,
    PATH: `${dirname(pinnedNode)}${delimiter}${binDir}${delimiter}${process.env.PATH ?? ''}`,
    // TypeScript is stripped and compiled once, not at every start.
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(root, 'node_modules/.cache/node'),
  }
  const child = spawn(pinnedNode, ['--disable-warning=ExperimentalWarning', join(root, script), ...args], {
    stdio: 'inherit',
    env,
  })
  // A signal sent to this process alone must still shut the product down cleanly.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)))
}
