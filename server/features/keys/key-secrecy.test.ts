import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../../db/embedded.ts'
import { insertAccount, insertKey } from '../../testing/factories.ts'
import { createTestDatabase, type TestDatabase } from '../../testing/harness.ts'
import { startServerProcess } from '../../testing/process.ts'

let own: TestDatabase
beforeAll(async () => {
  own = await createTestDatabase()
})
afterAll(() => own?.drop())

test('at the most verbose log level, no log line or response contains the key, however its parameter is spelled', async () => {
  const key = await insertKey(own.db, await insertAccount(own.db))
  const port = await freePort()
  const server = startServerProcess({
    NODE_ENV: 'test',
    PORT: String(port),
    DATABASE_URL: own.url,
    KEYS_SECRET: 'ab'.repeat(32),
    LOG_LEVEL: 'trace',
  })
  await server.ready
  const spellings = ['apikey', 'APIKEY', '%61pikey', 'api%6Bey', '%61%70%69%6b%65%79', 'apikey=&apikey']
  const paths = ['/mcp', '/v1/symbols', '/v1/nothing', '/v1/quotes', '/nothing', '/api/keys', '/%zz', '/']
  const answers: string[] = []
  for (const path of paths) {
    for (const spelling of spellings) {
      for (const method of ['GET', 'POST']) {
        const answer = await fetch(`http://localhost:${port}${path}?x=1&${spelling}=${key.value}`, {
          method,
          redirect: 'manual',
          ...(method === 'POST' && {
            headers: { 'content-type': 'application/json' },
            body: '{"jsonrpc":"2.0","id":1,"method":"nope"}',
          }),
        })
        answers.push(JSON.stringify([...answer.headers]), await answer.text())
      }
    }
  }
  await server.stop()
  const { output } = await server.ended
  expect(output).toContain('"route":"/mcp"')
  const secret = key.value.slice(3)
  expect(output).not.toContain(secret)
  expect(answers.join('\n')).not.toContain(secret)
  expect(answers.length).toBe(192)
})
