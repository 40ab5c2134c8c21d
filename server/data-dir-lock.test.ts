import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'vitest'
import { lockDataDir } from './data-dir-lock.ts'

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'finmeter-lock-'))
})
afterEach(() => rm(dir, { recursive: true }))

test('a released directory can be claimed again', () => {
  lockDataDir(dir).release()
  lockDataDir(dir).release()
})

test('the claim of a process that is gone is taken over', async () => {
  await writeFile(join(dir, 'finmeter.pid'), '4194000')
  lockDataDir(dir).release()
})

test('a claim file without a number does not lock the operator out', async () => {
  await writeFile(join(dir, 'finmeter.pid'), '')
  lockDataDir(dir).release()
})
