import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../config/config.ts'
import { createLog } from '../log.ts'
import { createTestDatabase, type TestDatabase } from '../testing/harness.ts'
import { distributeBucket, drainNode, moveBucketToNode } from './distribute.ts'
import { readNodeAddresses, readPlacement } from './placement.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

test('without Citus every bucket is where DATABASE_URL leads', async () => {
  const placement = await readPlacement(database.url, new Map(), createLog({ LOG_LEVEL: 'silent' }))
  expect(placement.urlOf(0)).toBe(database.url)
  expect(placement.urlOf(7)).toBe(database.url)
  expect(placement.nodes()).toEqual([])
  expect(database.db.node).toBe(database.db)
})

test('without Citus nothing is distributed, placed or drained, with a sentence', async () => {
  const message = 'This database is not the coordinator of a Citus cluster, so its buckets stay where they are.'
  await expect(distributeBucket(database.db, 0)).rejects.toThrow(message)
  await expect(moveBucketToNode(database.db, 0, 'worker-1:5432')).rejects.toThrow(message)
  await expect(drainNode(database.db, 'worker-1:5432', () => {})).rejects.toThrow(message)
  await expect(moveBucketToNode(database.db, 0, 'worker-1')).rejects.toThrow(
    'worker-1 is not a node: give its name and port, such as worker-2:5432.',
  )
})

test('DATABASE_NODES gives nodes their addresses, of several hosts too', () => {
  expect(
    readNodeAddresses('w-1:5432=postgres://me@10.0.0.1,10.0.0.2:6432/db, w-2:5433=postgresql://me@10.0.0.3/db'),
  ).toEqual(
    new Map([
      ['w-1:5432', 'postgres://me@10.0.0.1,10.0.0.2:6432/db'],
      ['w-2:5433', 'postgresql://me@10.0.0.3/db'],
    ]),
  )
})

test.each(['w-1=postgres://me@10.0.0.1/db', 'w-1:5432', 'w-1:5432=mysql://me@10.0.0.1/db', ','])(
  'DATABASE_NODES %s is refused without being repeated',
  (text) => {
    expect(readConfig({ DATABASE_NODES: text }).problems).toEqual([
      'DATABASE_NODES is not valid: expected name:port=postgres://user:password@host:5432/database, separated by commas.',
    ])
  },
)
