import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertAccount } from '../testing/factories.ts'
import { startTestServer, type TestServer } from '../testing/harness.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server?.close())

const doctor = (more: NodeJS.ProcessEnv = {}): Promise<{ code: number; out: string; err: string }> =>
  new Promise((done) => {
    const { PATH, HOME, NODE_COMPILE_CACHE } = process.env
    const env = {
      PATH,
      HOME,
      NODE_COMPILE_CACHE,
      NODE_ENV: 'test',
      DATABASE_URL: server.databaseUrl,
      KEYS_SECRET: 'ab'.repeat(32),
      ...more,
    }
    execFile(process.execPath, [join(import.meta.dirname, 'doctor.ts')], { env }, (error, out, err) =>
      done({ code: error ? Number(error.code) : 0, out, err }),
    )
  })

test('a sound installation is all ok', async () => {
  // The tests' database skips fsync, which doctor must report.
  const { rows } = await server.db.pool.query<{ fsync: string }>('show fsync')
  const durable = rows[0]?.fsync === 'on'
  const { code, out } = await doctor()
  expect(out.split('\n').filter((line) => line.startsWith('WRONG'))).toEqual(
    durable ? [] : ['WRONG  fsync is off: charges can be lost in a power cut; set it to on'],
  )
  if (durable) expect(out).toContain('ok     fsync is on')
  expect(out).toContain('ok     credits: every invariant holds')
  expect(code).toBe(durable ? 0 : 1)
})

test('a balance that the ledger does not explain is found, with exit code 1', async () => {
  const id = await insertAccount(server.db)
  await server.db.pool.query('update credit_accounts set balance = 5 where account_id = $1', [id])
  const { code, out } = await doctor()
  expect(out).toContain(`WRONG  credits: {"invariant":"I2","detail":"account ${id}: balance 5, live 0, unsettled 0"}`)
  expect(code).toBe(1)
  await server.db.pool.query('update credit_accounts set balance = 0 where account_id = $1', [id])
})

test('a paid plan without credits is reported', async () => {
  await server.db.pool.query("update plans set metadata = metadata - 'credits' where name = 'Pro'")
  const { code, out } = await doctor()
  expect(out).toContain('WRONG  plan Pro has no credits set and gets 1,000: set metadata.credits')
  expect(code).toBe(1)
})

test('a wrong setting is a sentence with exit code 1', async () => {
  const { code, err } = await doctor({ KEYS_SECRET: 'short' })
  expect(err).toContain('KEYS_SECRET is not valid: expected 64 hexadecimal digits')
  expect(code).toBe(1)
})
