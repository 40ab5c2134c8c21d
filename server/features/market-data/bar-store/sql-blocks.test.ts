import { expect, test } from 'vitest'
import { wireTo } from '#server/features/metering/testing/wire.ts'
import { createTestDatabase } from '#server/testing/harness.ts'
import { openBarDatabase } from './sql-blocks.ts'

test('a database of bars that is lost while it answers fails the query, and not the process', async () => {
  const database = await createTestDatabase()
  const wire = await wireTo(database.url)
  const bars = openBarDatabase(wire.url, { deadline_ms: 60_000, queries: 1 } as Parameters<typeof openBarDatabase>[1])
  const waiting = bars.query('select 1 from pg_sleep(60)', [])
  const refused = expect(waiting).rejects.toThrow('Connection terminated unexpectedly')
  await expect
    .poll(async () => {
      const { rows } = await database.db.pool.query(
        `select from pg_stat_activity where query like 'select 1 from pg_sleep%' and datname = current_database()`,
      )
      return rows.length
    })
    .toBe(1)
  wire.cut()
  await refused
  // The next query has a connection of its own.
  expect(await bars.query('select 1', [])).toEqual([[1]])
  await wire.close()
  await database.drop()
})
