import { randomBytes } from 'node:crypto'
import { inject } from 'vitest'
import { adminQuery, withDatabase } from '#server/testing/databases.ts'
import type { TestDatabase } from '#server/testing/harness.ts'
import { openDatabase } from '../database.ts'

/** A database without any migration. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  const server = inject('serverUrl')
  const name = `finmeter_test_${randomBytes(6).toString('hex')}`
  await adminQuery(server, `create database ${name}`)
  const url = withDatabase(server, name)
  const db = openDatabase(url, 4, () => {})
  return {
    url,
    db,
    drop: async () => {
      await db.close()
      await adminQuery(server, `drop database if exists ${name} with (force)`)
    },
  }
}
