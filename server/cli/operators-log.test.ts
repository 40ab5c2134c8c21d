import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test, vi } from 'vitest'
import { stringify } from 'yaml'
import { plainBars } from '../features/datasets/testing/dataset-folder.ts'
import { acmeDocument } from '../features/upstreams/testing/acme-document.ts'
import { closeAfterTests } from '../testing/close-after-tests.ts'
import { startTestServer } from '../testing/harness.ts'
import { runCommand } from '../testing/run-admin.ts'
import { temporaryFolder } from '../testing/temporary-folder.ts'

// What the command line changes is in the operators' log, beside what the console does.
const folder = temporaryFolder()
const server = await closeAfterTests(startTestServer({ env: { FINMETER_DATA_DIR: join(folder, 'data') } }))
const run = (script: string, words: string[], input?: string) =>
  runCommand(
    script,
    words,
    {
      NODE_ENV: 'test',
      DATABASE_URL: server.databaseUrl,
      KEYS_SECRET: 'ab'.repeat(32),
      FINMETER_DATA_DIR: join(folder, 'data'),
    },
    (child) => child.stdin!.end(input ?? ''),
  )
const none = 'From the command line, without a reason'
const logged = async () => {
  const { rows } = await server.db.pool.query(
    'select operator, action, target, reason, after from operator_log order by id',
  )
  await server.db.pool.query('delete from operator_log')
  expect(rows.every(({ operator }) => operator === 'command line')).toBe(true)
  return rows.map(({ action, target, reason, after }) => [action, target, reason, after])
}
// Each command is a process of its own.
vi.setConfig({ testTimeout: 300_000 })
beforeAll(() => writeFile(join(folder, 'acme.json'), acmeDocument))

test('of upstreams and their credentials', async () => {
  await run('upstream', ['secret', 'set', 'ACME_KEY', '--reason', 'A new contract'], 'sk-acme-0123456789')
  const add = ['add', join(folder, 'acme.json'), '--id', 'acme', '--base', 'https://acme.example', '--price', '1']
  await run('upstream', [...add, '--auth', 'bearer=stored:ACME_KEY'])
  await run('upstream', [...add, '--draft'])
  for (const words of [
    ['publish', 'acme'],
    ['rollback', 'acme'],
    ['pause', 'acme', '--reason', 'It is down'],
    ['resume', 'acme'],
    ['remove', 'acme'],
    ['secret', 'remove', 'ACME_KEY'],
    // What fails is no act.
    ['pause', 'nothing'],
  ])
    await run('upstream', words)
  const log = await logged()
  expect(log).toEqual([
    ['upstream_secret.set', 'ACME_KEY', 'A new contract', {}],
    ['upstream.published', 'acme', none, { version: 1, operations: 2 }],
    ['upstream.stored', 'acme', none, { version: 2, operations: 2 }],
    ['upstream.published', 'acme', none, { version: 2 }],
    ['upstream.undone', 'acme', none, { version: 1 }],
    ['upstream.paused', 'acme', 'It is down', {}],
    ['upstream.resumed', 'acme', none, {}],
    ['upstream.removed', 'acme', none, {}],
    ['upstream_secret.removed', 'ACME_KEY', none, {}],
  ])
  expect(JSON.stringify(log)).not.toContain('sk-acme')
})

test('of the shop', async () => {
  await writeFile(join(folder, 'shop.yaml'), stringify({ name: 'Northwind' }))
  const applied = await run('shop', ['apply', join(folder, 'shop.yaml'), '--reason', 'Our name'])
  expect(applied.err).toBe('')
  await run('shop', ['confirm', '000000'])
  await run('shop', ['undo'])
  expect(await logged()).toEqual([
    ['shop.applied', null, 'Our name', { version: 1 }],
    ['shop.undone', null, none, { version: null }],
  ])
})

test('of data, where the database runs', async () => {
  await writeFile(join(folder, 'prices.csv'), 'symbol,date,open,high,low,close,volume\nOWN,2024-01-02,1,1,1,1,1\n')
  await writeFile(join(folder, 'own.yaml'), stringify(plainBars))
  const published = await run('data', ['publish', join(folder, 'own.yaml'), '--reason', 'Fresh prices'])
  expect([published.code, published.err]).toEqual([0, ''])
  await run('data', ['schedule', 'ecb'])
  await run('data', ['schedule', 'ecb', '--off'])
  await run('data', ['schedule'])
  expect(await logged()).toEqual([
    ['dataset.published', 'own-prices', 'Fresh prices', { version: expect.any(String) }],
    ['data.scheduled', 'ecb', none, { on: true }],
    ['data.unscheduled', 'ecb', none, { on: false }],
  ])
})
