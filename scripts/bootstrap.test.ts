import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'

const dir = mkdtempSync(join(tmpdir(), 'finmeter-bootstrap-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const write = (path: string, content: string) => {
  mkdirSync(join(dir, path, '..'), { recursive: true })
  writeFileSync(join(dir, path), content)
}
const run = (command: string, ...words: string[]) => {
  const env = {
    ...process.env,
    NODE_ENV: 'production',
    npm_config_offline: 'true',
    npm_config_update_notifier: 'false',
  }
  const { status, stdout, stderr } = spawnSync(command, words, { cwd: dir, encoding: 'utf8', env })
  return { status, stdout, installs: stderr.includes('Installing packages ...') }
}
const bootstrap = () => run(process.execPath, 'scripts/bootstrap.mjs', 'ask.ts')

test('in production too, the packages that build are installed, and again when npm has removed them', () => {
  // Packages from folders: npm needs no registry for them.
  write('node/package.json', JSON.stringify({ name: 'node', version: '1.0.0' }))
  mkdirSync(join(dir, 'node/bin'))
  symlinkSync(process.execPath, join(dir, 'node/bin/node'))
  write('vite/package.json', JSON.stringify({ name: 'vite', version: '1.0.0', type: 'module', exports: './index.js' }))
  write('vite/index.js', "export const said = 'vite is here'\n")
  const manifest = {
    name: 'x',
    version: '1.0.0',
    dependencies: { node: 'file:node' },
    devDependencies: { vite: 'file:vite' },
  }
  write('package.json', JSON.stringify(manifest))
  write('ask.ts', "import { said } from 'vite'\nconsole.log(said)\n")
  mkdirSync(join(dir, 'scripts'))
  cpSync(join(import.meta.dirname, 'bootstrap.mjs'), join(dir, 'scripts/bootstrap.mjs'))
  expect(run('npm', 'install', '--package-lock-only').status).toBe(0)

  expect(bootstrap()).toEqual({ status: 0, stdout: 'vite is here\n', installs: true })
  expect(bootstrap()).toEqual({ status: 0, stdout: 'vite is here\n', installs: false })
  expect(run('npm', 'prune', '--omit=dev').status).toBe(0)
  expect([existsSync(join(dir, 'node_modules/vite')), existsSync(join(dir, 'node_modules/node'))]).toEqual([
    false,
    true,
  ])
  expect(bootstrap()).toEqual({ status: 0, stdout: 'vite is here\n', installs: true })
})
