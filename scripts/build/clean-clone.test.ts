import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '#server/db/embedded.ts'
import { canIsolate, firstCall } from '../../deploy/testing/empty-root.ts'
import { readImage } from '../../deploy/testing/read-image.ts'

const root = join(import.meta.dirname, '../..')
const dir = mkdtempSync(join(tmpdir(), 'finmeter-clone-'))
const clone = join(dir, 'clone')
const env = { ...process.env, NODE_ENV: 'production' }
const has = (name: string) => existsSync(join(clone, 'node_modules', name))
const run = (command: string, ...words: string[]) =>
  spawnSync(command, words, { cwd: existsSync(clone) ? clone : root, encoding: 'utf8', env })
beforeAll(() => {
  expect(run('git', 'clone', '--quiet', root, clone).status).toBe(0)
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

/** `npm start` on this port, until it is ready. `said` grows with what it prints. */
async function start(port: number): Promise<{ child: ChildProcess; said: string }> {
  const child = spawn('npm', ['start'], {
    cwd: clone,
    // A trial, as on a first start: with an embedded database and the sandbox.
    env: { ...env, NODE_ENV: 'development', PORT: String(port), FINMETER_DATA_DIR: join(dir, 'trial-data') },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const started = { child, said: '' }
  await new Promise<void>((done, failed) => {
    const hear = (part: Buffer) => {
      started.said += part
      if (started.said.includes('Finmeter ready')) done()
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
    child.once('close', () => failed(new Error(started.said)))
  })
  return started
}

async function stop({ child }: { child: ChildProcess }): Promise<void> {
  const closed = once(child, 'close')
  process.kill(-child.pid!, 'SIGTERM')
  await closed
}

// These need the package registry, as a first start does.
test('npm start installs what is used', { timeout: 600_000 }, async () => {
  const port = await freePort()
  const first = await start(port)
  await stop(first)
  // npm says how many packages it added; the bundler says nothing.
  expect(first.said.replace(/^.*added \d+ packages in \w+\n/s, '').split('\n')).toEqual([
    'Building the web ...',
    'dist/web built.',
    `Finmeter ready at http://localhost:${port}`,
    '',
  ])
  expect(['vite', 'vitest', 'typescript', 'tsc'].filter(has)).toEqual(['vite'])
})

test.skipIf(!canIsolate)(
  'a clean clone with NODE_ENV=production is built, and charges its first call where there is no npm',
  { timeout: 600_000 },
  async () => {
    const built = run('npm', 'run', 'build')
    expect([built.status, built.stdout, built.stderr]).toEqual([
      0,
      expect.stringContaining('build/main.js'),
      expect.anything(),
    ])
    expect(has('vitest')).toBe(false)

    const seen = await firstCall(dir, readImage(), join(clone, 'build'))
    expect(seen).toMatchObject({
      npm: [],
      call: { status: 200, charged: '1', remaining: '499' },
      settled: '1',
      code: 0,
    })
  },
)

test('a check adds the rest while the server answers; a start then installs nothing', {
  timeout: 600_000,
}, async () => {
  const port = await freePort()
  const first = await start(port)
  let adding = true
  const statuses = new Set<number>()
  const asking = (async () => {
    while (adding) {
      for (const path of ['/readyz', '/docs', '/openapi.json'])
        statuses.add((await fetch(`http://localhost:${port}${path}`)).status)
      // Without a pause, these requests would take a whole processor from the installation.
      await setTimeout(100)
    }
  })()
  const check = spawn('npm', ['run', 'mutants', '--', '--check'], {
    cwd: clone,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [check.stdout, check.stderr])
    stream.on('data', (part) => {
      said += part
    })
  const [code] = await once(check, 'close')
  adding = false
  await asking
  expect([code, said]).toEqual([0, expect.stringContaining('Adding the development packages ...')])
  expect([...statuses]).toEqual([200])
  expect(run('git', 'status', '--porcelain').stdout).toBe('')
  expect(['vite', 'vitest'].filter(has)).toEqual(['vite', 'vitest'])
  await stop(first)

  const second = await start(port)
  expect(second.said).not.toContain('ing packages ...')
  expect(second.said).not.toContain('Building')
  expect(has('vitest')).toBe(true)
  await stop(second)
})
