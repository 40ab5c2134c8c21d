import { randomUUID } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, test, vi } from 'vitest'
import { startTestServer } from '#server/testing/harness.ts'
import { afterTests, closeAfterTests } from '../../../testing/close-after-tests.ts'
import { temporaryFolder } from '../../../testing/temporary-folder.ts'
import { makeLoadTestAccount } from '../make-load-test-account.ts'
import { openConsole, type TestOperator } from '../testing/console.ts'

const dataDir = temporaryFolder()
const server = await closeAfterTests(startTestServer({ env: { SANDBOX: 'on', FINMETER_DATA_DIR: dataDir } }))
let owner: TestOperator
beforeAll(async () => {
  owner = await openConsole(server, 'owner')
})

const manifest = (more: object = {}) => ({
  id: 'acme-prices',
  name: 'Acme prices',
  kind: 'bars',
  fields: { symbol: 'Ticker', date: 'Day', open: 'Open', high: 'High', low: 'Low', close: 'Close' },
  currency: 'USD',
  license: 'our own',
  publisher: 'Acme',
  redistribution: 'internal',
  ...more,
})
const csvOf = (close: string) =>
  `Ticker,Day,Open,High,Low,Close\nACMEX,2026-01-05,1,3,1,2\nACMEX,2026-01-06,2,3,2,${close}\n`
const check = (csv: string, more: object = {}) =>
  owner.call('POST', '/datasets/check', { manifest: manifest(more), csv })
const datasets = async () => (await owner.call('GET', '/datasets')).body.data.datasets

test('an upload is checked first: what is wrong is said with row and column, and nothing is stored', async () => {
  // One of its own: other tests check uploads in that of the machine.
  vi.stubEnv('TMPDIR', temporaryFolder())
  afterTests(() => vi.unstubAllEnvs())
  const good = await check(csvOf('2.5'))
  expect(good.body.data).toMatchObject({ rows: 2, first: '2026-01-05', last: '2026-01-06' })
  expect(good.body.data.findings.filter(({ severity }: { severity: string }) => severity === 'error')).toEqual([])
  const bad = (await check(csvOf('9'))).body.data
  expect(bad.findings.find(({ severity }: { severity: string }) => severity === 'error')).toMatchObject({
    code: 'ohlc_order',
    count: 1,
    examples: [expect.stringContaining('upload.csv line 3: ')],
  })
  const incomplete = await check(csvOf('2'), { currency: undefined })
  expect([incomplete.status, incomplete.body.error]).toEqual([
    400,
    'The manifest is not a dataset manifest:\n- currency is missing',
  ])
  expect(await datasets()).toEqual([])
  expect((await readdir(tmpdir())).filter((name) => name.startsWith('finmeter-upload-'))).toEqual([])
})

test('no manifest of a browser reads files, runs code or asks servers', async () => {
  for (const source of [
    { type: 'code', module: '/tmp/x.ts' },
    { type: 'file', path: '/etc/passwd' },
    { type: 'http', url: 'http://127.0.0.1:1/' },
    { type: 'sql', connection: 'DATABASE_URL', query: 'select 1' },
  ])
    expect([source.type, (await check(csvOf('2'), { source })).body.data.rows]).toEqual([source.type, 2])
})

test('an upload is served to customers, and the version before can be served again', async () => {
  const { key } = await makeLoadTestAccount(server.db.kysely, server.deps.secrets, 100_000)
  const closeOf = async () => {
    const response = await fetch(`${server.url}/v1/bars/ACMEX?from=2026-01-06&to=2026-01-06`, {
      headers: { authorization: `Bearer ${key}` },
    })
    return response.ok ? JSON.stringify(await response.json()) : String(response.status)
  }
  const refused = await owner.act('/datasets', { manifest: manifest(), csv: csvOf('9') })
  expect([refused.status, refused.body.error]).toEqual([
    400,
    'This file has errors and cannot be published: ohlc_order (1). Check the file to see them.',
  ])
  const id = randomUUID()
  const body = { manifest: manifest(), csv: csvOf('2.25') }
  const first = (await owner.act('/datasets', body, id)).body.data.dataset
  expect(first).toMatchObject({
    id: 'acme-prices',
    kind: 'bars',
    rows: 2,
    last: '2026-01-06',
    stale: false,
    retrieved_at: null,
  })
  const again = (await owner.act('/datasets', body, id)).body.data.dataset
  expect(again.version).toBe(first.version)
  await expect.poll(closeOf).toContain('2.25')
  const second = (await owner.act('/datasets', { ...body, csv: csvOf('2.75') })).body.data.dataset
  await expect.poll(closeOf).toContain('2.75')
  const before = second.versions.find((version: string) => version !== second.version)
  const back = await owner.act('/datasets/acme-prices/publish', { version: before })
  expect(back.body.data.dataset.version).toBe(before)
  await expect.poll(closeOf).toContain('2.25')
  expect(await datasets()).toMatchObject([{ id: 'acme-prices', version: before, rows: 2 }])
  const none = await owner.act('/datasets/acme-prices/publish', { version: '20200101000000-00000000' })
  expect([none.status, none.body.code]).toEqual([409, 'conflict'])
  expect((await owner.act('/datasets/nothing/publish', { version: before })).status).toBe(404)
  const { rows } = await server.db.pool.query(`select after from operator_log where target = 'acme-prices' order by id`)
  expect(rows.map(({ after }) => after.version.slice(-8))).toEqual([
    first.version.slice(-8),
    second.version.slice(-8),
    first.version.slice(-8),
  ])
})

test('a repeated request never undoes what was published after it, and serves no version that the log lacks', async () => {
  const [one, two] = [randomUUID(), randomUUID()]
  const upload = async (close: string, id: string) => {
    const named = manifest({ id: 'acme-other' })
    return (await owner.act('/datasets', { manifest: named, csv: csvOf(close) }, id)).body.data.dataset
      .version as string
  }
  const [first, second] = [await upload('2.25', one), await upload('2.75', two)]
  const servedNow = async () => (await datasets()).find(({ id }: { id: string }) => id === 'acme-other').version
  expect(await upload('2.25', one)).toBe(second)
  expect(await servedNow()).toBe(second)
  const publish = (version: string, id: string) => owner.act('/datasets/acme-other/publish', { version }, id)
  const back = randomUUID()
  expect((await publish(first, back)).body.data.dataset.version).toBe(first)
  expect((await publish(first, back)).status).toBe(200)
  const reused = await owner.act('/datasets', { manifest: manifest({ id: 'acme-other' }), csv: csvOf('2.5') }, two)
  expect([reused.status, reused.body.error]).toEqual([
    409,
    'This form was already sent with other values, and they were applied. Reload the page to see them.',
  ])
  expect(await servedNow()).toBe(first)
})

test('servers fetch a connector on their own once it is scheduled', async () => {
  const named = async (name: string) =>
    (await owner.call('GET', '/datasets')).body.data.connectors.find((one: { name: string }) => one.name === name)
  expect(await named('treasury')).toMatchObject({
    scheduled: false,
    contact_required: false,
    key: null,
    has_key: true,
    last_run: null,
  })
  expect(await named('tiingo')).toMatchObject({ key: 'TIINGO_API_KEY', has_key: false })
  const on = await owner.act('/connectors/treasury/schedule', { on: true, contact: null })
  expect(on.body.data.connector.scheduled).toBe(true)
  const contactless = await owner.act('/connectors/sec/schedule', { on: true, contact: null })
  expect([contactless.status, contactless.body.code]).toEqual([409, 'conflict'])
  const keyless = await owner.act('/connectors/tiingo/schedule', { on: true, contact: null })
  expect([keyless.status, keyless.body.error]).toEqual([
    409,
    'Set TIINGO_API_KEY to your key of Daily prices from Tiingo.',
  ])
  // Two owners at once: neither change is lost.
  const owners = { ecb: owner, bls: await openConsole(server, 'owner'), worldbank: await openConsole(server, 'owner') }
  for (const on of [true, false, true, false]) {
    await Promise.all(
      Object.entries(owners).map(([name, one]) => one.act(`/connectors/${name}/schedule`, { on, contact: null })),
    )
    for (const name of Object.keys(owners)) expect([name, (await named(name)).scheduled]).toEqual([name, on])
  }
  await owner.act('/connectors/treasury/schedule', { on: false, contact: null })
  expect((await named('treasury')).scheduled).toBe(false)
  expect((await owner.act('/connectors/nothing/schedule', { on: true, contact: null })).status).toBe(404)
  const { rows } = await server.db.pool.query(
    `select action, after from operator_log where target = 'treasury' order by id`,
  )
  expect(rows).toEqual([
    { action: 'data.scheduled', after: { on: true } },
    { action: 'data.unscheduled', after: { on: false } },
  ])
  expect(await readdir(join(dataDir, 'connectors'))).toContain('schedule.json')
})
