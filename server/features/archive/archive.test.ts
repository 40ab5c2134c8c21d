import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { strFromU8, unzipSync } from 'fflate'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '#server/testing/harness.ts'
import { runAdmin } from '#server/testing/run-admin.ts'
import { startSession, type TestSession } from '#server/testing/session.ts'
import { temporaryFolder } from '../../testing/temporary-folder.ts'
import { checkInvariants } from '../metering/invariants.ts'
import { archiveUsage } from './archive-usage.ts'
import { callInThePast, pastPartitions } from './testing/past-calls.ts'

const folder = temporaryFolder()
let server: TestServer
let person: TestSession
let accountId: number
let keys: { id: string; keyId: number }[]

beforeAll(async () => {
  server = await startTestServer({ env: { USAGE_ARCHIVE: folder, USAGE_HOT_DAYS: '35' } })
})
afterAll(async () => {
  await server?.close()
})
beforeEach(async () => {
  ;({ person, accountId, keys } = await someone())
})
afterEach(async () => {
  expect(await checkInvariants(server.db)).toEqual([])
})

async function someone() {
  const person = await startSession(server)
  await person.call('POST', '/api/billing/subscribe-free-plan', { body: {} })
  await person.call('POST', '/api/keys', { body: { name: 'Second' } })
  const { apiKeys } = (await person.call('GET', '/api/keys')).body.data
  const { rows } = await server.db.pool.query(
    'select id as "keyId", public_id as id, account_id from api_keys where public_id = any ($1) order by id',
    [apiKeys.map(({ id }: { id: string }) => id)],
  )
  return { person, accountId: rows[0].account_id as number, keys: rows as { id: string; keyId: number }[] }
}

const get = async (path: string, who = person) => (await who.call('GET', path)).body.data
const call = (key: number | null, change = {}) => ({
  accountId,
  keyId: key === null ? null : keys[key]!.keyId,
  ...change,
})

/** Every receipt, by pages of two. */
async function allReceipts(query = ''): Promise<{ id: string }[]> {
  const receipts = []
  let cursor: string | null = null
  do {
    const page: { receipts: { id: string }[]; nextCursor: string | null } = await get(
      `/api/usage/receipts?limit=2${query}${cursor ? `&cursor=${cursor}` : ''}`,
    )
    receipts.push(...page.receipts)
    cursor = page.nextCursor
  } while (cursor)
  return receipts
}

const csv = async () => (await fetch((await get('/api/usage/receipts/csv')).url)).text()
/** The calls in the export of the person's data. */
async function exported(): Promise<{ json: string; csv: string }> {
  const { id } = (await person.call('POST', '/api/account/exports')).body.data.export
  const find = async () => (await get('/api/account/exports')).exports.find((one: { id: string }) => one.id === id)
  await expect.poll(async () => (await find()).status).toBe('ready')
  const answer = await fetch((await find()).download_url)
  const files = unzipSync(new Uint8Array(await answer.arrayBuffer()))
  await server.db.pool.query('delete from data_exports')
  const text = (end: string) =>
    strFromU8(files[Object.keys(files).find((name) => name.endsWith(`/usage_events.${end}`))!]!)
  return { json: text('json'), csv: text('csv') }
}

const isoDay = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)

test('receipts of archived days are found as before: in the list with every filter, alone, and as CSV', async () => {
  await callInThePast(server, {
    60: [call(0), call(0, { credits: 3 }), call(1, { status: 'failed' }), call(null)],
    40: [call(1), call(0, { status: 'failed' }), call(0)],
    36: [call(0)],
    35: [call(0, { credits: 2 })],
    3: [call(1), call(0)],
  })
  const filters = [
    '',
    `&keyId=${keys[1]!.id}`,
    '&keyId=playground',
    '&tool=get_bars',
    '&status=failed',
    `&to=${isoDay(39)}T00:00:00Z`,
    `&from=${isoDay(40)}T00:00:00Z&to=${isoDay(35)}T00:00:00Z&status=success`,
  ]
  const before = []
  for (const filter of filters) before.push(await allReceipts(filter))
  const csvBefore = await csv()
  const exportBefore = await exported()
  expect(before.map((receipts) => receipts.length)).toEqual([11, 3, 1, 11, 2, 7, 3])
  await archiveUsage(server.deps)
  expect(await readdir(join(folder, 'm00'))).toEqual([60, 40, 36].map((ago) => `${isoDay(ago)}.parquet`))
  expect((await pastPartitions(server)).map((name) => name.slice(-8))).toEqual(
    [35, 3].map((ago) => isoDay(ago).replaceAll('-', '')),
  )
  for (const [at, filter] of filters.entries()) expect(await allReceipts(filter)).toEqual(before[at])
  expect(await csv()).toBe(csvBefore)
  expect(exportBefore.csv.split('\r\n')).toHaveLength(1 + 11 + 1)
  expect(await exported()).toEqual(exportBefore)
  for (const receipt of before[0]!) expect((await get(`/api/usage/receipts/${receipt.id}`)).receipt).toEqual(receipt)
  const other = await someone()
  const answer = await other.person.call('GET', `/api/usage/receipts/${before[0]!.at(-1)!.id}`)
  expect(answer.status).toBe(404)
  expect(await get('/api/usage/receipts', other.person)).toEqual({ receipts: [], nextCursor: null })
})

test("the operator's command finds an archived call, with all but the comparison", async () => {
  await callInThePast(server, {
    70: [call(0), call(1, { credits: 3 }), call(0, { credits: 2 })],
    2: [call(0, { credits: 4 })],
  })
  const { id: receipt } = (await allReceipts()).at(-2)!
  const show = async (env: NodeJS.ProcessEnv = { USAGE_ARCHIVE: folder }) =>
    runAdmin(server.databaseUrl, ['call', receipt], env)
  const before = await show()
  expect(before).toMatchObject({ code: 0, out: expect.stringMatching(/^Balance +-1 before, -4 after/m) })
  await archiveUsage(server.deps)
  const after = await show()
  const lines = (out: string) => out.split('\n').filter((line) => !line.startsWith('Compared'))
  expect(lines(after.out)).toEqual(lines(before.out))
  expect(after.out).toContain('Compared         skipped: the calls of that day are archived\n')
  expect(await show({})).toMatchObject({ code: 1, err: expect.stringContaining('No call has this receipt.') })
})
