import { readFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import type { Database } from '../server/db/database.ts'

export interface Machine {
  cpu: string
  cores: number
  memoryGiB: number
  platform: string
  node: string
  postgres: string
  fsync: string
  synchronousCommit: string
  generator: string
}

/** What a reader needs in order to judge the numbers. */
export async function describeMachine(db: Database, generator: string): Promise<Machine> {
  const { rows } = await db.pool.query<Pick<Machine, 'postgres' | 'fsync' | 'synchronousCommit'>>(`
    select current_setting('server_version') as postgres, current_setting('fsync') as fsync,
      current_setting('synchronous_commit') as "synchronousCommit"`)
  const [first] = cpus()
  return {
    cpu: first?.model.trim() ?? 'unknown processor',
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    platform: `${process.platform} ${process.arch}`,
    node: process.version,
    generator,
    ...rows[0]!,
  }
}

/** Memory of a process in MB. */
export const residentMb = (pid: number): number =>
  Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024)
