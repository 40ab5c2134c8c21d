import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase } from '../../testing/harness.ts'
import { barsText } from '../market-data/bar-store/sql-text.ts'
import { importDataset } from './import-dataset.ts'
import { type DatasetFolder, datasetFolder } from './testing/dataset-folder.ts'
import { startServing } from './testing/serving.ts'
import { versionStore } from './version-store.ts'

const CONNECTION = 'TEST_ON_DEMAND_DB'
const logged: string[] = []
let client: pg.Client
let folder: DatasetFolder
const { server, serve, stopServing, get } = await startServing(logged)
const database = await createTestDatabase()
const url = new URL(database.url)
beforeAll(async () => {
  // A server that asks for none accepts any.
  url.password ||= 'hidden-password'
  process.env[CONNECTION] = url.href
  client = new pg.Client({ connectionString: database.url })
  await client.connect()
  await client.query(`
    create table days (sym text, day date, o numeric, h numeric, l numeric, c numeric, v bigint, primary key (sym, day));
    insert into days select sym, day, p, p + 1, p - 1, p + 0.25, 100 + i
      from unnest(array['AAA', 'BBB', 'O''NE', 'DDD', 'EEE', 'FFF']) sym, generate_series(0, 1499) i,
        lateral (select date '2019-06-03' + i as day, 50 + i % 40 + ascii(sym) / 100.0 as p) d;
    create table minutes (sym text, at timestamptz, o float8, h float8, l float8, c float8, v float8, primary key (sym, at));
    insert into minutes select 'MIN', timestamptz '2024-01-30 22:00:00+00' + i * interval '7 minutes', p, p + 2, p - 2, p + 1, i
      from generate_series(0, 1999) i, lateral (select 100 + i % 30 as p) d;
    analyze`)
})
afterAll(async () => {
  delete process.env[CONNECTION]
  await client?.end()
})
beforeEach(async () => {
  folder = datasetFolder()
  folder.options.env = { [CONNECTION]: process.env[CONNECTION] }
})

const columns = { symbol: 'sym', date: 'day', open: 'o', high: 'h', low: 'l', close: 'c', volume: 'v' }
const source = (change = {}) => ({
  type: 'sql',
  connection: CONNECTION,
  query: 'select * from days',
  on_demand: true,
  ...change,
})

async function publish(changes: Record<string, unknown>): Promise<void> {
  const dataset = await folder.bars({ fields: columns, ...changes })
  const { report, version } = await importDataset(dataset, folder.options)
  if (!version) throw new Error(JSON.stringify(report.findings))
  await versionStore(folder.options.published).publish(dataset.id, version)
}
test('every tool answers from the database what it answers from imported bars', async () => {
  const { value: key } = await server.key({ credits: 10_000 })
  const minutes = { id: 'own-minutes', interval: '1m', type: 'crypto', fields: { ...columns, date: 'at' } }
  const answers = []
  for (const on_demand of [false, true]) {
    await publish({ source: source({ on_demand }) })
    await publish({ ...minutes, source: source({ on_demand, query: 'select * from minutes -- all' }) })
    await serve(folder.options.published, 2 ** 22)
    const found = []
    for (const path of [
      '/v1/bars/AAA?range=max&limit=2000&format=columns',
      '/v1/bars/BBB?interval=1mo&from=2020-02-10&to=2022-12-10',
      `/v1/bars/${encodeURIComponent("O'NE")}?from=2021-06-01&limit=100`,
      '/v1/bars?symbols=AAA,BBB,NONE&range=1y',
      '/v1/quotes?symbols=AAA,BBB,MIN&on=2021-05-05',
      '/v1/indicators/AAA?name=rsi',
      '/v1/summary?symbols=AAA,BBB&range=1y',
      '/v1/bars/MIN?interval=1m&range=max&limit=2000&format=columns',
      '/v1/bars/MIN?interval=1h&range=1mo',
      '/v1/bars/MIN?range=max',
    ]) {
      const { status, body } = await get(path, key)
      expect(status, path).toBe(200)
      found.push([path, body.data, body.meta.warnings, body.meta.as_of])
    }
    answers.push(found)
    stopServing()
  }
  expect(answers[1]).toEqual(answers[0])
})

test.each(['constructor', '__proto__', "'); drop table days; --"])('a symbol may be called %s', async (symbol) => {
  const { value: key } = await server.key({ credits: 100 })
  const query = `select ${pg.escapeLiteral(symbol)}::text as sym, day, o, h, l, c, v from days where sym = 'AAA'`
  await publish({ source: source({ query }) })
  await serve(folder.options.published, 2 ** 22)
  expect((await get(`/v1/bars/${encodeURIComponent(symbol)}?limit=5`, key)).status).toBe(200)
})

test.each([true, false])(
  'symbols that differ only in case are refused at publishing (on_demand: %s)',
  async (on_demand) => {
    const query = `select case when sym = 'BBB' then 'aaa' else sym end as sym, day, o, h, l, c, v from days where sym in ('AAA', 'BBB')`
    const dataset = await folder.bars({ fields: columns, source: source({ query, on_demand }) })
    const { report, version } = await importDataset(dataset, folder.options)
    expect([version, report.findings]).toEqual([
      null,
      [{ code: 'same_name', severity: 'error', count: 1, examples: ['AAA and aaa are the same name (AAA)'] }],
    ])
  },
)

test('symbol and dates are parameters, for which the database uses its index', async () => {
  const { query, columns: names } = { query: 'select * from days', columns }
  await client.query(`prepare a as ${barsText({ query, columns: names })}`)
  const { rows } = await client.query(`explain execute a ('AAA', '2020-01-01', '2020-12-31', 300)`)
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
  expect(plan).toMatch(
    /Index Cond: \(\(sym = 'AAA'::text\) AND \(day >= '2020-01-01'::date\) AND \(day <= '2020-12-31'::date\)\)/,
  )
})

describe('a database that does not answer', () => {
  test('ends a call at its deadline, for 0 credits; what is in memory is served, and the rest afterwards', async () => {
    const key = await server.key({ credits: 100 })
    // It is also the time for a connection and a read on a busy machine.
    await publish({ source: source({ deadline_ms: 2_000 }) })
    await serve(folder.options.published, 2 ** 22)
    expect((await get('/v1/bars/AAA?from=2021-01-01&limit=5', key.value)).status).toBe(200)
    await client.query('begin; lock table days in access exclusive mode')
    const refused = await get('/v1/bars/BBB?from=2021-01-01&limit=5', key.value)
    expect((await get('/v1/bars/AAA?from=2021-01-01&limit=5', key.value)).status).toBe(200)
    await client.query('rollback')
    expect([refused.status, refused.body.code]).toEqual([503, 'data_unavailable'])
    expect(await server.spending(key.accountId)).toMatchObject({ rows: 3, failedRows: 1, credits: 2 })
    expect((await get('/v1/bars/BBB?from=2021-01-01&limit=5', key.value)).status).toBe(200)
    expect(logged.join('')).toContain('canceling statement due to statement timeout')
    expect(logged.join('')).not.toContain(new URL(process.env[CONNECTION]!).password)
  })

  test('has as many reads under way as the manifest says, and answers the others after them', async () => {
    const { value: key } = await server.key({ credits: 100 })
    await publish({ source: source({ queries: 2, deadline_ms: 4_500 }) })
    await serve(folder.options.published, 2 ** 22)
    const waiting = async () =>
      (
        await server.db.pool.query(`select from pg_stat_activity where datname = $1 and wait_event_type = 'Lock'`, [
          new URL(database.url).pathname.slice(1),
        ])
      ).rowCount
    await client.query('begin; lock table days in access exclusive mode')
    const calls = ['AAA', 'BBB', 'DDD', 'EEE', 'FFF'].map((symbol) => get(`/v1/bars/${symbol}?limit=5`, key))
    await expect.poll(waiting).toBe(2)
    await client.query('rollback')
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  })
})

test('bars that were changed since they were published are a free 503 until they are published again', async () => {
  const key = await server.key({ credits: 100 })
  await publish({ source: source() })
  const { look } = await serve(folder.options.published, 2 ** 22)
  await client.query(`delete from days where sym = 'DDD' and day = '2021-03-03'`)
  // Newer bars do not disturb: they are not published yet.
  await client.query(`insert into days values ('EEE', '2024-01-01', 1, 1, 1, 1, 1)`)
  const refused = await get('/v1/bars/DDD?from=2021-03-01&limit=5', key.value)
  expect([refused.status, refused.body.code]).toEqual([503, 'data_unavailable'])
  expect((await server.spending(key.accountId)).credits).toBe(0)
  expect((await get('/v1/bars/EEE?from=2023-01-01&limit=5000', key.value)).body.data.at(-1).date).toBe('2023-07-11')
  await publish({ source: source(), notes: ['again'] })
  await look()
  expect(
    (await get('/v1/bars/DDD?from=2021-03-01&limit=3', key.value)).body.data.map(({ date }: { date: string }) => date),
  ).toEqual(['2021-03-01', '2021-03-02', '2021-03-04'])
  expect((await get('/v1/quotes?symbols=EEE', key.value)).body.data[0].date).toBe('2024-01-01')
})

describe('refused when published', () => {
  test.each([
    ['rows that break a rule', 'select sym, day, o, h, l, c * 100 as c, v from days', /bad_prices/],
    ['two bars for a time', 'select * from days union all select * from days', /duplicate/],
    ['dates as text', `select sym, day::text as day, o, h, l, c, v from days`, /must have the type date/],
    ['a query that writes', `select *, nextval('own_seq') from days`, /read-only transaction/],
    ['an unknown column', 'select sym, day, o, h, l, c from days', /column b.v does not exist/],
  ])('%s', async (_, query, reason) => {
    await client.query('create sequence if not exists own_seq')
    await expect(publish({ source: source({ query }) })).rejects.toThrow(reason)
  })

  test('splits, which need all bars', async () => {
    await expect(publish({ source: source(), fields: { ...columns, split: 's' } })).rejects.toThrow(
      'have no field split',
    )
  })
})
