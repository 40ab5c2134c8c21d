import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { canIsolate, firstCall } from '../../deploy/testing/empty-root.ts'
import { readImage } from '../../deploy/testing/read-image.ts'

const root = join(import.meta.dirname, '../..')
const dir = mkdtempSync(join(tmpdir(), 'finmeter-clone-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

// Needs the package registry, as a first start does.
test.skipIf(!canIsolate)(
  'a clean clone with NODE_ENV=production is built, and charges its first call where there is no npm',
  { timeout: 600_000 },
  async () => {
    const clone = join(dir, 'clone')
    const run = (command: string, ...words: string[]) => {
      const env = { ...process.env, NODE_ENV: 'production' }
      return spawnSync(command, words, { cwd: existsSync(clone) ? clone : root, encoding: 'utf8', env })
    }
    expect(run('git', 'clone', '--quiet', root, clone).status).toBe(0)
    const built = run('npm', 'run', 'build')
    expect([built.status, built.stdout, built.stderr]).toEqual([
      0,
      expect.stringContaining('build/main.js'),
      expect.anything(),
    ])

    const seen = await firstCall(dir, readImage(), join(clone, 'build'))
    expect(seen).toMatchObject({
      npm: [],
      call: { status: 200, charged: '1', remaining: '499' },
      settled: '1',
      code: 0,
    })
  },
)
