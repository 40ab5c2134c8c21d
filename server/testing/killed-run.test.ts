import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from './temporary-folder.ts'

const root = join(import.meta.dirname, '../..')
const isRunning = (pid: number) => {
  try {
    return !/^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

test.skipIf(process.platform !== 'linux').each(['SIGINT', 'SIGKILL'] as const)(
  'a run of tests that ends by %s leaves no PostgreSQL and no folder behind',
  async (signal) => {
    const folder = temporaryFolder()
    const { TEST_DATABASE_URL: _, ...env } = process.env
    const words = ['node_modules/vitest/vitest.mjs', 'run', 'server/features/keys/controls.test.ts']
    const run = spawn(process.execPath, words, { cwd: root, env: { ...env, TMPDIR: folder }, stdio: 'ignore' })
    const ended = once(run, 'exit')
    const pidFile = () => {
      const name = readdirSync(folder).find((entry) => entry.startsWith('finmeter-test-')) ?? 'none'
      return join(folder, name, 'postgres', 'postmaster.pid')
    }
    // initdb keeps a file of the same name for processes of its own, which never say that they are ready.
    const lines = () => (existsSync(pidFile()) ? readFileSync(pidFile(), 'utf8').split('\n') : [])
    await expect.poll(() => lines()[7]?.trim()).toBe('ready')
    const postgres = Number(lines()[0])
    expect(isRunning(postgres)).toBe(true)
    run.kill(signal)
    await ended
    await expect.poll(() => isRunning(postgres)).toBe(false)
    await expect.poll(() => readdirSync(folder).filter((entry) => entry.startsWith('finmeter-test-'))).toEqual([])
  },
)
