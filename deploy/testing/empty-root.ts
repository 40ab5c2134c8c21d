import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { copyFileSync, cpSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { startEmbedded } from '#server/db/embedded.ts'
import type { Image } from './read-image.ts'

const isolated = ['--unshare-all', '--uid', '65534', '--gid', '65534', '--die-with-parent', '--clearenv']

/** Whether this machine can run a program in a root of its own (bubblewrap, user namespaces). */
export const canIsolate =
  process.platform === 'linux' && spawnSync('bwrap', [...isolated, '--ro-bind', '/', '/', '/bin/true']).status === 0

/**
 * Makes the tree of `image` in `root`, as its COPY lines say: `build` stands for the build stage's directory. The base image
 * is replaced by the libraries that Node is linked with: whatever else the product needs is missed.
 */
function makeRoot(root: string, image: Image, build: string): void {
  const sources: Record<string, string> = { '/usr/local/bin/node': process.execPath, '/src/build': build }
  for (const { from, to } of image.copies) {
    const source = sources[from]
    if (source) cpSync(source, join(root, to), { recursive: true, verbatimSymlinks: true })
    else mkdirSync(join(root, to), { recursive: true })
  }
  const linked = execFileSync('ldd', [process.execPath], { encoding: 'utf8' }).match(/\/\S+\.so\S*/g) ?? []
  for (const library of linked) {
    mkdirSync(join(root, dirname(library)), { recursive: true })
    copyFileSync(library, join(root, library))
  }
  for (const folder of ['dev', 'proc', 'outside']) mkdirSync(join(root, folder))
}

/**
 * Makes the root in `dir`, starts a PostgreSQL that is reached by a socket, and runs first-call.mjs beside the product:
 * read-only, as user 65534, with loopback as the only network. Resolves with what it saw; rejects when it fails.
 */
export async function firstCall(dir: string, image: Image, build: string) {
  const [root, outside, data] = [join(dir, 'root'), join(dir, 'outside'), join(dir, 'data')]
  makeRoot(root, image, build)
  for (const folder of [outside, data]) mkdirSync(folder)
  copyFileSync(join(import.meta.dirname, 'first-call.mjs'), join(outside, 'first-call.mjs'))
  const password = randomBytes(12).toString('hex')
  const database = await startEmbedded(join(dir, 'database'), password, {
    flags: [`unix_socket_directories=${outside}`],
  })
  const port = new URL(database.connectionString).port
  const env: Record<string, string> = {
    ...image.env,
    COMMAND: JSON.stringify(image.command),
    HEALTH: JSON.stringify(image.health),
    PUBLIC_URL: 'https://api.finmeter.dev',
    DATABASE_URL: `postgres://finmeter:${password}@%2Foutside:${port}/finmeter`,
    KEYS_SECRET: randomBytes(32).toString('hex'),
    GITHUB_CLIENT_ID: 'id',
    GITHUB_CLIENT_SECRET: 'secret',
    METRICS_PORT: '9464',
  }
  const words = [
    ...isolated,
    ...['--ro-bind', root, '/', '--proc', '/proc', '--dev', '/dev', '--bind', outside, '/outside'],
    ...image.volumes.flatMap((path) => ['--bind', data, path]),
    ...Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value]),
    ...['--chdir', image.workdir, image.command[0]!, '/outside/first-call.mjs'],
  ]
  try {
    const { stdout } = await promisify(execFile)('bwrap', words, { timeout: 120_000 })
    return JSON.parse(stdout)
  } finally {
    await database.stop()
  }
}
