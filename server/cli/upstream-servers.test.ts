import { writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { freePort } from '../db/embedded.ts'
import { acmeDocument } from '../features/upstreams/testing/acme-document.ts'
import { createTestDatabase, type TestDatabase } from '../testing/harness.ts'
import { type ServerProcess, startServerProcess } from '../testing/process.ts'
import { runCommand } from '../testing/run-admin.ts'
import { temporaryFolder } from '../testing/temporary-folder.ts'

// What publishing says of the servers that run: real processes on one database, and the real command.
const folder = temporaryFolder()
let database: TestDatabase
let servers: ServerProcess[] = []
const env = (more: NodeJS.ProcessEnv) => ({
  NODE_ENV: 'test',
  DATABASE_URL: database.url,
  KEYS_SECRET: 'ab'.repeat(32),
  FINMETER_DATA_DIR: join(folder, 'data'),
  ...more,
})
const WITH_KEY = { ACME_KEY: 'sk-acme-0123456789' }
async function startServer(more: NodeJS.ProcessEnv): Promise<ServerProcess> {
  const server = startServerProcess(env({ PORT: String(await freePort()), LOG_LEVEL: 'silent', ...more }))
  servers.push(server)
  await server.ready
  return server
}
const nameOf = ({ child }: ServerProcess) => `${hostname()} (process ${child.pid})`
const run = (...words: string[]) => runCommand('upstream', words, env(WITH_KEY))
const add = (id: string) =>
  run(
    'add',
    join(folder, 'acme.json'),
    '--id',
    id,
    '--base',
    'https://acme.example',
    '--price',
    '1',
    '--auth',
    'header:X-Key=env:ACME_KEY',
  )
const OFFER =
  'The demonstration is served beside it. To serve only what is yours, add this line to shop.yaml and apply it (docs/shop.md): builtins: off'
const last = (out: string, count: number) => out.trimEnd().split('\n').slice(-count)

beforeAll(async () => {
  database = await createTestDatabase()
  await writeFile(join(folder, 'acme.json'), acmeDocument)
})
afterEach(async () => {
  for (const { child } of servers) child.kill('SIGKILL')
  await Promise.all(servers.map(({ ended }) => ended))
  servers = []
  await database.db.pool.query('delete from upstream_servers')
})
afterAll(() => database?.drop())

test('without a server, publishing does not say that anything is served', async () => {
  const { code, out } = await add('alone')
  expect([code, last(out, 2)]).toEqual([
    0,
    [
      'alone version 1 is published. No server was seen in the last 30 seconds: servers serve it when they start.',
      OFFER,
    ],
  ])
})

test('a server that lacks the secret is named with what it lacks', async () => {
  const lacking = await startServer({})
  const first = await add('lacks')
  expect([first.code, last(first.out, 2)]).toEqual([
    1,
    [
      'lacks version 1 is published, but 1 of 1 servers does not serve it, so customers cannot call it:',
      `  ${nameOf(lacking)}: The environment variable ACME_KEY is not set.`,
    ],
  ])
  await startServer(WITH_KEY)
  const second = await run('publish', 'lacks')
  expect([second.code, last(second.out, 2)]).toEqual([
    1,
    [
      'lacks version 1 is published, but 1 of 2 servers does not serve it:',
      `  ${nameOf(lacking)}: The environment variable ACME_KEY is not set.`,
    ],
  ])
  await lacking.stop()
  const third = await run('publish', 'lacks')
  expect([third.code, third.out]).toEqual([0, `lacks version 1 is served.\n${OFFER}\n`])
})

test('two servers that serve it are counted; one that does not answer is named', async () => {
  const servers = [await startServer(WITH_KEY), await startServer(WITH_KEY)]
  const both = await add('two')
  expect([both.code, last(both.out, 2)]).toEqual([0, ['two version 1 is served by 2 servers.', OFFER]])
  servers[1]!.child.kill('SIGSTOP')
  // Else a slow command may find it gone for 30 seconds.
  await database.db.pool.query(
    "update upstream_servers set seen_at = clock_timestamp() + interval '1 hour' where name = $1",
    [nameOf(servers[1]!)],
  )
  const { code, out } = await add('two')
  expect([code, last(out, 2)]).toEqual([
    1,
    [
      'two version 2 is published, but 1 of 2 servers does not serve it:',
      `  ${nameOf(servers[1]!)}: did not answer within 10 seconds`,
    ],
  ])
})

test('a rollback of a paused upstream does not say that it is served', async () => {
  await startServer(WITH_KEY)
  for (const _ of [1, 2]) await add('rests')
  await run('pause', 'rests')
  expect((await run('rollback', 'rests')).out).toBe(
    'rests version 1 is set, but rests is paused. Serve it with: npm run upstream -- resume rests\n',
  )
  expect((await run('resume', 'rests')).out).toBe('rests version 1 is served.\n')
})
