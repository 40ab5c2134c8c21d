import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Wire, wireTo } from '#server/features/metering/testing/wire.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/harness.ts'
import { type Database, openDatabase } from './database.ts'

/** One server behind two addresses: each can fail alone. */
let database: TestDatabase
let first: Wire
let second: Wire
let db: Database
const errors: string[] = []
beforeAll(async () => {
  database = await createTestDatabase()
})
beforeEach(async () => {
  errors.length = 0
  first = await wireTo(database.url)
  second = await wireTo(database.url)
  db = openDatabase(both(), 2, ({ message }) => errors.push(message))
})
afterEach(async () => {
  await first.close()
  await second.close()
  await db.close()
})
afterAll(() => database.drop())

const portOf = ({ url }: Wire) => new URL(url).port
const both = () => first.url.replace(`:${portOf(first)}/`, `:${portOf(first)},127.0.0.1:${portOf(second)}/`)
const one = () => db.pool.query<{ one: number }>('select 1 as one').then(({ rows }) => rows[0]!.one)

test('the first host serves, then the second one where the first is gone, which serves on when the first is back', async () => {
  expect(await one()).toBe(1)
  const port = Number(portOf(first))
  await first.close()
  await expect.poll(() => one().catch(() => 0)).toBe(1)
  first = await wireTo(database.url, port)
  second.cut()
  await expect.poll(() => one().catch(() => 0)).toBe(1)
  first.loseAnswers()
  expect(await one()).toBe(1)
})

test('a host that answers nothing any more is left, by queries that wait for it too', async () => {
  expect(await one()).toBe(1)
  first.loseAnswers()
  const waiting = one()
  waiting.catch(() => {})
  // The pool has no free connection, opens one, and finds the second host.
  expect(await one()).toBe(1)
  await expect(waiting).rejects.toThrow('Connection terminated unexpectedly')
})

test('where no host answers, the error names each without the password', async () => {
  await Promise.all([first.close(), second.close()])
  const attempt = db.pool.query('select 1')
  await expect(attempt).rejects.toThrow(
    `No host in DATABASE_URL accepts writes: 127.0.0.1:${portOf(first)}: connect ECONNREFUSED 127.0.0.1:${portOf(first)}; 127.0.0.1:${portOf(second)}: connect ECONNREFUSED 127.0.0.1:${portOf(second)}`,
  )
  const { password } = new URL(database.url)
  if (password) await expect(attempt).rejects.not.toThrow(password)
})

test('a read-only server is refused, and is left at once when it becomes so', async () => {
  const name = new URL(database.url).pathname.slice(1)
  expect(await one()).toBe(1)
  const client = await db.pool.connect()
  await client.query('set default_transaction_read_only = on').catch(() => {})
  await expect(client.query('select 1')).rejects.toThrow()
  client.release()
  await database.db.pool.query(`alter database ${name} set default_transaction_read_only = on`)
  await expect(one()).rejects.toThrow(
    `127.0.0.1:${portOf(first)} is read-only; 127.0.0.1:${portOf(second)} is read-only`,
  )
  const writer = await database.db.pool.connect()
  await writer.query('set default_transaction_read_only = off')
  await writer.query(`alter database ${name} reset default_transaction_read_only`)
  writer.release()
  expect(await one()).toBe(1)
})
