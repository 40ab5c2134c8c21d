import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { temporaryFolder } from '../testing/temporary-folder.ts'
import { lockDataDir } from './lock.ts'

let dir: string
beforeEach(async () => {
  dir = temporaryFolder()
})

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

test.each(['build/main.js', 'server/main.ts'])('the claim of a running %s holds', async (program) => {
  // The name alone tells a server from another process with its number.
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000); console.log(1)', program])
  try {
    await once(child.stdout, 'data')
    await writeFile(join(dir, 'finmeter.pid'), String(child.pid))
    expect(() => lockDataDir(dir)).toThrow(`Another Finmeter (process ${child.pid}) already runs on ${dir}.`)
  } finally {
    child.kill('SIGKILL')
    await once(child, 'close')
  }
})
