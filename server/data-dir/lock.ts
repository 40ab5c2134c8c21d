import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { makeDataDir } from './make.ts'

/**
 * Claims the data directory for this process. Throws a message for the operator when another server has it. A claim of
 * a dead process (kill -9, power cut) is taken over.
 */
export function lockDataDir(dataDir: string): { release: () => void } {
  makeDataDir(dataDir)
  const file = join(dataDir, 'finmeter.pid')
  for (let attempt = 0; attempt < 2; attempt += 1) {
    try {
      const handle = openSync(file, 'wx')
      writeSync(handle, String(process.pid))
      closeSync(handle)
      return { release: () => rmSync(file, { force: true }) }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      const holder = Number(readFileSync(file, 'utf8'))
      if (holder !== process.pid && isRunning(holder))
        throw new Error(
          `Another Finmeter (process ${holder}) already runs on ${dataDir}. Stop it first, or start this one with another FINMETER_DATA_DIR and PORT.`,
        )
      rmSync(file, { force: true })
    }
  }
  throw new Error(`${file} cannot be claimed: another Finmeter is starting on the same data directory.`)
}

function isRunning(pid: number): boolean {
  if (!pid) return false
  try {
    process.kill(pid, 0)
    // After a reboot or in a container the number may belong to another process.
    return process.platform !== 'linux' || /(main|start)\.[jt]s/.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
