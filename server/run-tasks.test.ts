import { Pool, type PoolClient } from 'pg'
import { afterEach, expect, test, vi } from 'vitest'
import { runTasks } from './run-tasks.ts'
import { createTestDatabase } from './testing/harness.ts'

const undo: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
})

/** Drops its next `losses` connections. */
class WeakPool extends Pool {
  losses = 0

  override connect(...args: unknown[]): Promise<PoolClient> {
    if (args.length === 0 && this.losses > 0) {
      this.losses -= 1
      return Promise.reject(new Error('Connection terminated unexpectedly'))
    }
    return super.connect(...(args as [])) as unknown as Promise<PoolClient>
  }
}

test.each(['succeeds', 'fails'])(
  'a connection lost while a job that %s is reported does not end the process',
  async (how) => {
    const database = await createTestDatabase()
    undo.push(() => database.drop())
    const pool = new WeakPool({ connectionString: database.url })
    // The database may be dropped before the server has closed these connections.
    pool.on('error', () => {})
    pool.on('connect', (client) => client.on('error', () => {}))
    undo.push(() => pool.end())
    let runs = 0
    const losing = async () => {
      runs += 1
      if (runs === 1) pool.losses = 2
      if (how === 'fails' && runs === 1) throw new Error('not today')
    }
    const unhandled = vi.fn()
    process.on('unhandledRejection', unhandled)
    undo.push(async () => process.off('unhandledRejection', unhandled))
    const runner = await runTasks(pool, { losing }, '', () => undefined)
    undo.push(() => runner.stop())
    // Once: what is recorded of its failure is overwritten when it is run again, some seconds later.
    await runner.addJob('losing', {}, { maxAttempts: 1 })
    // Both connections were lost, and the job's end is recorded nevertheless.
    await vi.waitFor(async () => {
      expect([runs, pool.losses]).toEqual([1, 0])
      const { rows } = await pool.query('select last_error, locked_at from graphile_worker._private_jobs')
      expect(rows).toEqual(how === 'fails' ? [{ last_error: 'not today', locked_at: null }] : [])
    }, 120_000)
    expect(unhandled).not.toHaveBeenCalled()
  },
)
