import { expect, test } from 'vitest'
import { startTestServer } from '#server/testing/harness.ts'
import { closeAfterTests } from '../../../testing/close-after-tests.ts'
import { openConsole } from '../testing/console.ts'
import { noteDatabaseSize } from './read-health.ts'
import { runDoctor } from './run-doctor.ts'

const server = await closeAfterTests(startTestServer({ env: { SMTP_URL: 'smtp://ada:hidden-word@127.0.0.1:1' } }))
const viewer = await openConsole(server, 'viewer')
const rows = async (sql: string) => (await server.db.pool.query(sql)).rows
const health = async () => (await viewer.call('GET', '/health')).body.data

test('the doctor runs in the server, and what it said is kept', async () => {
  const { checks } = await health()
  const [doctor, invariants] = checks
  expect(doctor.lines).toContainEqual({ level: 'ok', text: 'KEYS_SECRET opens what this database has encrypted' })
  // The tests' own server flushes nothing.
  expect(doctor.lines.map(({ text }: { text: string }) => text).join()).toMatch(/fsync is (on|off)/)
  expect(invariants).toEqual({ name: 'invariants', ran_at: null, lines: [] })
  await rows(`update check_runs set lines = '[{"level":"note","text":"kept"}]'`)
  expect((await health()).checks[0].lines).toEqual([{ level: 'note', text: 'kept' }])
  await rows(`update check_runs set ran_at = app_now() - interval '61 minutes'`)
  expect((await health()).checks[0].lines).not.toEqual([{ level: 'note', text: 'kept' }])
})

test('checks that do not end in time are left out, and a line says so', async () => {
  const lines = await runDoctor(server.deps, 0)
  expect(lines.at(-1)).toEqual({
    level: 'note',
    text: 'Some checks took longer than 0 seconds. Run npm run doctor to see them.',
  })
})

test('settings show choices and numbers; of every other only whether it is set', async () => {
  const answer = await viewer.call('GET', '/health')
  expect(answer.text).not.toContain('hidden-word')
  expect(answer.text).not.toContain('ab'.repeat(32))
  const of = (name: string) => answer.body.data.settings.find((one: { name: string }) => one.name === name)
  expect(of('SMTP_URL')).toMatchObject({ set: true, value: null })
  expect(of('KEYS_SECRET')).toMatchObject({ set: true, value: null })
  expect(of('GOOGLE_CLIENT_SECRET')).toMatchObject({ set: false, value: null })
  expect(of('NODE_ENV')).toMatchObject({ set: true, value: 'test' })
  expect(of('PUBLIC_URL').value).toMatch(/^http:\/\/localhost:\d+$/)
})

test('size and growth, instances, and backups are those of the database', async () => {
  await noteDatabaseSize(server.db.kysely)
  await rows(`insert into database_sizes values ('2026-01-02', 1000)`)
  await rows(
    `insert into backup_runs (kind, ok, detail) values ('backup', true, 'finmeter-1'), ('drill', false, 'it is inconsistent')`,
  )
  const { database, instances, backups, jobs } = await health()
  const [{ bytes }] = await rows('select pg_database_size(current_database())::int as bytes')
  expect(Math.abs(database.bytes - bytes)).toBeLessThan(1_000_000)
  expect(database.days.map(({ day }: { day: string }) => day)).toEqual([
    '2026-01-02',
    new Date().toISOString().slice(0, 10),
  ])
  expect(instances).toMatchObject([{ name: expect.stringContaining(`process ${process.pid}`), problems: [] }])
  expect(backups).toMatchObject([
    { kind: 'drill', ok: false, detail: 'it is inconsistent' },
    { kind: 'backup', ok: true, detail: 'finmeter-1' },
  ])
  expect(jobs).toEqual([])
})

test('the go-live list says what is done by looking, and what is missing', async () => {
  const done = async () => {
    const { items } = (await viewer.call('GET', '/go-live')).body.data
    for (const { done, todo } of items) expect(todo === null).toBe(done)
    return items.filter((one: { done: boolean }) => one.done).map(({ key }: { key: string }) => key)
  }
  expect((await viewer.call('GET', '/go-live')).body.data.items.map(({ key }: { key: string }) => key)).toEqual([
    'https',
    'sign-in',
    'provider',
    'webhook',
    'mail',
    'legal',
    'tax',
    'factor',
    'backup',
    'sandbox',
  ])
  expect(await done()).toEqual([])
  await rows(
    `insert into mail_log (id, kind, recipient, state) values (gen_random_uuid(), 'test', 'a@example.com', 'sent')`,
  )
  await rows(`insert into backup_runs (kind, ok, detail) values ('drill', true, 'restored')`)
  await openConsole(server, 'owner')
  expect(await done()).toEqual(['mail', 'factor', 'backup'])
  await rows(`update backup_runs set at = app_now() - interval '91 days'`)
  expect(await done()).toEqual(['mail', 'factor'])
})
