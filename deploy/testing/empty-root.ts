import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { copyFileSync, cpSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Image } from './read-image.ts'

const isolated = ['--unshare-all', '--uid', '65534', '--gid', '65534', '--die-with-parent', '--clearenv']

/** Whether this machine can run a program in a root of its own (bubblewrap, user namespaces). */
export const canIsolate =
  process.platform === 'linux' && spawnSync('bwrap', [...isolated, '--ro-bind', '/', '/', '/bin/true']).status === 0

/**
 * Makes the tree of `image` in `root`, as its COPY lines say: `build` stands for the build stage's directory. The base image
 * is replaced by the libraries that Node is linked with: whatever else the product needs is missed.
 */
export function makeRoot(root: string, image: Image, build: string): void {
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
 * Runs a module inside `root`: read-only, as user 65534, with loopback as the only network. `outside` appears at /outside,
 * `data` is the image's volume. Resolves with what the module prints; rejects when it fails.
 */
export function runInside(options: {
  root: string
  image: Image
  outside: string
  data: string
  module: string
  env: Record<string, string>
}): Promise<string> {
  const { root, image, outside, data, module, env } = options
  const volume = image.volumes.flatMap((path) => ['--bind', data, path])
  const variables = Object.entries({ ...image.env, ...env }).flatMap(([name, value]) => ['--setenv', name, value])
  const place = ['--ro-bind', root, '/', '--proc', '/proc', '--dev', '/dev', '--bind', outside, '/outside', ...volume]
  const words = [...isolated, ...place, ...variables, '--chdir', image.workdir, image.command[0]!, `/outside/${module}`]
  return new Promise((done, failed) => {
    const child = spawn('bwrap', words, { stdio: ['ignore', 'pipe', 'pipe'], timeout: 120_000 })
    let [out, err] = ['', '']
    child.stdout.on('data', (part) => {
      out += part
    })
    child.stderr.on('data', (part) => {
      err += part
    })
    child.once('error', failed)
    child.once('close', (code) => (code === 0 ? done(out) : failed(new Error(`code ${code}\n${out}\n${err}`))))
  })
}
