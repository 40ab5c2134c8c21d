import type { ChildProcess } from 'node:child_process'
import { expect, test } from 'vitest'
import { checkInvariants } from '../features/metering/invariants.ts'
import { makeLoadTestAccount } from '../features/operator/make-load-test-account.ts'
import { closeAfterTests } from '../testing/close-after-tests.ts'
import { startTestServer } from '../testing/harness.ts'
import { runAdmin, runCommand, runDoctor } from '../testing/run-admin.ts'

const server = await closeAfterTests(startTestServer())
const account = await makeLoadTestAccount(server.db.kysely, server.deps.secrets, 100_000)

const buckets = (...words: string[]) => runAdmin(server.databaseUrl, ['buckets', ...words])
const home = async (): Promise<number> =>
  (await server.deps.db.pool.query('select bucket from accounts where public_id = $1', [account.accountId])).rows[0]
    .bucket
const call = async (): Promise<[number, number]> => {
  const answer = await fetch(`${server.url}/v1/bars/AAPL?range=1mo`, { headers: { 'x-api-key': account.key } })
  await answer.arrayBuffer()
  return [answer.status, Number(answer.headers.get('x-credits-remaining'))]
}

test('buckets are added and listed while the server runs, and an account moves under load, also by a command that is killed', async () => {
  const first = await home()
  const { code, out } = await buckets('add')
  expect(code).toBe(0)
  const added = Number(/^Bucket (\d+) is ready\./.exec(out)?.[1])
  expect(added).toBeGreaterThan(first)

  let loading = true
  const answers: [number, number][] = []
  const load = Array.from({ length: 4 }, async () => {
    while (loading) answers.push(await call())
  })
  expect((await buckets('move', account.accountId, String(added))).out).toContain(
    `Nothing of the account is left in bucket m0${first}.`,
  )
  expect(await home()).toBe(added)

  // The switch waits for whoever has entered the account's bucket; the command is killed while it waits.
  const holder = await server.deps.db.pool.connect()
  await holder.query('begin')
  await holder.query('select from accounts where public_id = $1 for key share', [account.accountId])
  let moving: ChildProcess | undefined
  const killed = runCommand(
    'admin',
    ['buckets', 'move', account.accountId, String(first)],
    { NODE_ENV: 'test', DATABASE_URL: server.databaseUrl, KEYS_SECRET: 'ab'.repeat(32) },
    (child) => (moving = child),
  )
  await new Promise<void>((done) => moving?.stdout?.on('data', (text) => text.includes('ledger copied') && done()))
  moving?.kill('SIGKILL')
  await killed
  expect(await home()).toBe(added)
  expect((await buckets()).out).toContain(`Finish it: npm run admin -- buckets move ${account.accountId} ${first}`)
  expect((await runDoctor(server.databaseUrl)).out).toContain(
    `npm run admin -- buckets move ${account.accountId} ${first}`,
  )
  expect((await buckets('move', account.accountId, '9')).err).toContain('There is no bucket 9.')
  await holder.query('rollback')
  holder.release()

  expect((await buckets('move', account.accountId, String(first))).code).toBe(0)
  expect(await home()).toBe(first)
  loading = false
  await Promise.all(load)
  expect(new Set(answers.map(([status]) => status))).toEqual(new Set([200]))
  // Each response shows the balance after its own charge: none is charged twice, and none is free.
  expect(new Set(answers.map(([, left]) => left)).size).toBe(answers.length)
  expect(Math.min(...answers.map(([, left]) => left))).toBe(100_000 - answers.length)
  expect(await checkInvariants(server.deps.db)).toEqual([])
  const listed = (await buckets()).out
  expect(listed).toMatch(new RegExp(`^${added}  m0${added}  \\d+ accounts  \\d+ calls a day  [\\d.]+ MiB$`, 'm'))
  expect(listed).not.toContain('Finish it')
})

test('bad words get the usage or a sentence', async () => {
  expect((await buckets('remove', '1')).err).toContain('move <account> <bucket>')
  expect((await buckets('move', account.accountId, 'one')).err).toContain('A bucket is named by its number, not one.')
})
