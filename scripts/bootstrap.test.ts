import { spawn, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'

const dir = mkdtempSync(join(tmpdir(), 'finmeter-bootstrap-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const env = {
  ...process.env,
  NODE_ENV: 'production',
  npm_config_offline: 'true',
  npm_config_update_notifier: 'false',
}
const at = (path: string) => join(dir, path)
const write = (path: string, content: string) => {
  mkdirSync(at(join(path, '..')), { recursive: true })
  writeFileSync(at(path), content)
}
const run = (command: string, ...words: string[]) => {
  const { status, stdout, stderr } = spawnSync(command, words, { cwd: dir, encoding: 'utf8', env })
  const installs = /^(Installing packages|Adding the development packages) \.\.\.$/m.exec(stderr)?.[1] ?? null
  return { status, stdout, installs }
}
/** `npm start` and `npm test` of a product that builds with one package, and is tested with another. */
const start = () => run(process.execPath, 'scripts/bootstrap.mjs', 'start.ts')
const runTests = () => run(process.execPath, 'scripts/bootstrap.mjs', '--all', 'test.ts')
const started = { status: 0, stdout: 'builder\n' }
const tested = { status: 0, stdout: 'builder tester\n' }

/** A package as a file: npm needs no registry for it. */
function pack(name: string): string {
  write(`${name}/package.json`, JSON.stringify({ name, version: '1.0.0', type: 'module', exports: './index.js' }))
  write(`${name}/index.js`, `export default '${name}'\n`)
  expect(run('npm', 'pack', `./${name}`).status).toBe(0)
  return `file:${name}-1.0.0.tgz`
}

beforeEach(() => {
  rmSync(dir, { recursive: true, force: true })
  write('node/package.json', JSON.stringify({ name: 'node', version: '1.0.0' }))
  mkdirSync(at('node/bin'))
  symlinkSync(process.execPath, at('node/bin/node'))
  const manifest = {
    name: 'x',
    version: '1.0.0',
    dependencies: { node: 'file:node', builder: pack('builder') },
    devDependencies: { tester: pack('tester') },
  }
  write('package.json', JSON.stringify(manifest))
  write('start.ts', "import builder from 'builder'\nconsole.log(builder)\n")
  write('test.ts', "import builder from 'builder'\nimport tester from 'tester'\nconsole.log(builder, tester)\n")
  mkdirSync(at('scripts'))
  cpSync(join(import.meta.dirname, 'bootstrap.mjs'), at('scripts/bootstrap.mjs'))
  expect(run('npm', 'install', '--package-lock-only').status).toBe(0)
})

test('a start installs what is used, a test adds the rest beside it, and a start after that changes nothing', () => {
  expect(start()).toEqual({ ...started, installs: 'Installing packages' })
  expect(start()).toEqual({ ...started, installs: null })
  expect(existsSync(at('node_modules/tester'))).toBe(false)
  const state = () => {
    const { ino, ctimeMs } = statSync(at('node_modules/builder/index.js'))
    return [readFileSync(at('package-lock.json'), 'utf8'), ino, ctimeMs]
  }
  const before = state()
  expect(runTests()).toEqual({ ...tested, installs: 'Adding the development packages' })
  expect(runTests()).toEqual({ ...tested, installs: null })
  expect(start()).toEqual({ ...started, installs: null })
  expect(state()).toEqual(before)
  expect(existsSync(at('node_modules/tester'))).toBe(true)
})

test('a test in a fresh clone installs everything at once', () => {
  expect(runTests()).toEqual({ ...tested, installs: 'Installing packages' })
  expect(start()).toEqual({ ...started, installs: null })
})

test('what npm has removed is installed again', () => {
  runTests()
  expect(run('npm', 'prune', '--omit=dev').status).toBe(0)
  expect(existsSync(at('node_modules/tester'))).toBe(false)
  expect(runTests()).toEqual({ ...tested, installs: 'Installing packages' })
})

test('a package of which a killed installation wrote only half is replaced', () => {
  start()
  cpSync(at('tester/package.json'), at('node_modules/tester/package.json'), { recursive: true })
  expect(start()).toEqual({ ...started, installs: null })
  expect(runTests()).toEqual({ ...tested, installs: 'Adding the development packages' })

  rmSync(at('node_modules/.finmeter-lock'))
  rmSync(at('node_modules/builder/index.js'))
  expect(start()).toEqual({ ...started, installs: 'Installing packages' })
})

test('a command waits while another installs, unless that one was killed', async () => {
  write('.installing', String(process.pid))
  const waiting = spawn(process.execPath, ['scripts/bootstrap.mjs', 'start.ts'], { cwd: dir, env })
  let said = ''
  waiting.stderr.on('data', (part) => {
    said += part
  })
  const ended = new Promise((done) => waiting.once('close', done))
  await expect
    .poll(() => said)
    .toContain(`Waiting for another command that installs packages (if there is none, delete`)
  expect(existsSync(at('node_modules'))).toBe(false)
  rmSync(at('.installing'))
  expect(await ended).toBe(0)
  expect(said).toContain('Installing packages ...')

  const { pid } = spawnSync(process.execPath, ['--version'])
  write('.installing', `${pid} ${pid}`)
  expect(runTests()).toEqual({ ...tested, installs: 'Adding the development packages' })
  expect(existsSync(at('.installing'))).toBe(false)
})

test('a signal during the installation ends npm, and the next command may install', async () => {
  write('npm.mjs', 'process.stdout.write("npm runs"); setInterval(() => {}, 1000)\n')
  write('bin/npm', `#!/bin/sh\nexec ${process.execPath} ${at('npm.mjs')} >&2\n`)
  spawnSync('chmod', ['+x', at('bin/npm')])
  const child = spawn(process.execPath, ['scripts/bootstrap.mjs', 'start.ts'], {
    cwd: dir,
    env: { ...env, PATH: `${at('bin')}:${process.env.PATH}` },
  })
  let said = ''
  child.stderr.on('data', (part) => {
    said += part
  })
  // Closes when npm has ended too: both write there.
  const ended = new Promise((done) => child.once('close', done))
  await expect.poll(() => said).toContain('npm runs')
  expect(readFileSync(at('.installing'), 'utf8')).toMatch(new RegExp(`^${child.pid} \\d+$`))
  child.kill('SIGTERM')
  expect(await ended).toBe(1)
  expect(start()).toEqual({ ...started, installs: 'Installing packages' })
})
