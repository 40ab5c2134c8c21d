import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { TestDatabase } from '#server/testing/harness.ts'
import { applyFunctions, type FunctionFile } from './apply-functions.ts'
import { releaseNumber } from './schema-release.ts'
import { createEmptyDatabase } from './testing/empty-database.ts'

let database: TestDatabase
beforeEach(async () => {
  database = await createEmptyDatabase()
})
afterEach(() => database.drop())

const file = (name: string, text: string): FunctionFile => ({
  name,
  text,
  sha256: createHash('sha256').update(text).digest('hex'),
})
const answering = (answer: string) =>
  file('answer', `create or replace function answer() returns text language sql as $$ select '${answer}' $$`)
const apply = (files: FunctionFile[], version: string) =>
  database.db.kysely.transaction().execute((tx) => applyFunctions(tx, files, releaseNumber(version)))
const answer = async () => (await sql<{ answer: string }>`select answer()`.execute(database.db.kysely)).rows[0]!.answer

test('a file is applied when its text changes, and only then', async () => {
  const other = file('other', `create or replace function other() returns int language sql as $$ select 1 $$`)
  expect(await apply([answering('first'), other], '0.2.0')).toEqual(['answer', 'other'])
  expect(await apply([answering('first'), other], '0.2.0')).toEqual([])
  expect(await apply([answering('second'), other], '0.2.0')).toEqual(['answer'])
  expect(await answer()).toBe('second')
})

test('an older release changes nothing, in any order of numbers', async () => {
  await apply([answering('newer')], '0.10.0')
  expect(await apply([answering('older')], '0.9.9')).toEqual([])
  expect(await answer()).toBe('newer')
  expect(await apply([answering('newest')], '1.0.0')).toEqual(['answer'])
})

test('a release that keeps the text vouches for it: one between brings no other', async () => {
  await apply([answering('kept')], '0.2.0')
  expect(await apply([answering('kept')], '0.4.0')).toEqual([])
  expect(await apply([answering('withdrawn')], '0.3.0')).toEqual([])
  expect(await answer()).toBe('kept')
})

test('a file that fails is named, and nothing of the others stays', async () => {
  await expect(apply([answering('first'), file('broken', 'create or replace nonsense')], '0.2.0')).rejects.toThrow(
    'server/db/functions/broken.sql failed',
  )
  await expect(answer()).rejects.toThrow('function answer() does not exist')
})
