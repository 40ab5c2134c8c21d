import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { importDataset } from './import-dataset.ts'
import { type DatasetFolder, datasetFolder } from './testing/dataset-folder.ts'
import { startServing } from './testing/serving.ts'
import { versionStore } from './version-store.ts'

const { server, serve, get } = await startServing()

let folder: DatasetFolder
beforeEach(() => {
  folder = datasetFolder()
})

const rows = (closes: number[]) =>
  `symbol,date,open,high,low,close,volume\n${closes.map((close, i) => `OWN,2024-01-${String(i + 2).padStart(2, '0')},${close},${close},${close},${close},1`).join('\n')}\n`

async function publish(closes: number[], changes: Record<string, unknown> = {}) {
  await folder.file('prices.csv', rows(closes))
  const dataset = await folder.bars(changes)
  const { version } = await importDataset(dataset, folder.options)
  return versionStore(folder.options.published).publish(dataset.id, version!)
}

describe('publishing', () => {
  test('a published version is served with the demo data after the next check, and names its publisher', async () => {
    const { value: key } = await server.key({ credits: 100 })
    const { look } = await serve(folder.options.published)
    expect((await get('/v1/bars/OWN', key)).status).toBe(404)
    await publish([10, 11, 12])
    expect(await look()).toBe(true)
    const { status, body } = await get('/v1/bars/OWN?range=max', key)
    expect(status).toBe(200)
    expect(body.data.map(({ close }: { close: number }) => close)).toEqual([10, 11, 12])
    expect(body.meta.source).toContain('us ')
    expect((await get('/v1/bars/AAPL', key)).status).toBe(200)
    expect(await look()).toBe(false)
  })

  test('cursors never mix two versions', async () => {
    const { value: key } = await server.key({ credits: 100 })
    await publish([10, 11, 12])
    const { look } = await serve(folder.options.published)
    const first = await get('/v1/bars/OWN?range=max&limit=2', key)
    await publish([20, 21, 22])
    await look()
    const next = await get(`/v1/bars/OWN?range=max&limit=2&cursor=${first.body.next_cursor}`, key)
    expect([next.status, next.body.code]).toEqual([400, 'cursor_expired'])
    expect((await get('/v1/bars/OWN?range=max&limit=2', key)).body.data[0].close).toBe(20)
  })

  test('the last two versions are kept, and the previous one can be restored', async () => {
    const store = versionStore(folder.options.published)
    const versions = []
    for (const close of [10, 20, 30]) {
      versions.push((await publish([close])).version)
      await new Promise((resolve) => setTimeout(resolve, 1100))
    }
    expect(await store.versions('own-prices')).toEqual(versions.slice(1))
    await store.publish('own-prices', versions[1])
    expect(await store.current('own-prices')).toBe(versions[1])
    await expect(store.publish('own-prices', versions[0])).rejects.toThrow(
      `own-prices has no version ${versions[0]}. Available: ${versions.slice(1).join(', ')}.`,
    )
    await expect(store.publish('nothing')).rejects.toThrow('nothing has no version yet; import it first.')
  })

  test('a failed import changes nothing that is served and leaves no half-written version', async () => {
    const { value: key } = await server.key({ credits: 100 })
    await publish([10, 11])
    const { look } = await serve(folder.options.published)
    await folder.file('prices.csv', `${rows([50, 51])}OWN,2024-01-09,1,1,1,broken,1\n`)
    expect((await importDataset(await folder.bars(), folder.options)).version).toBeNull()
    await look()
    expect((await get('/v1/bars/OWN?range=max', key)).body.data[0].close).toBe(10)
    expect(
      (await readdir(join(folder.options.published, 'own-prices'))).filter((name) => /draft|tmp/.test(name)),
    ).toEqual([])
  })

  test('a version with a damaged file is not served; the previous one stays', async () => {
    const { value: key } = await server.key({ credits: 100 })
    await publish([10, 11])
    const { look } = await serve(folder.options.published)
    const broken = await publish([20, 21])
    await writeFile(broken.files.placeOf('bars.blocks'), 'short')
    await look()
    expect((await get('/v1/bars/OWN?range=max', key)).body.data[0].close).toBe(10)
  })

  test('bars that were damaged on disk are a 503 for 0 credits, never other prices, and those in memory stay served', async () => {
    const key = await server.key({ credits: 100 })
    const { files, manifest } = await publish([10, 11])
    await folder.file('prices.csv', rows([30, 31]).replaceAll('OWN', 'TWO'))
    const two = await importDataset(await folder.bars({ id: 'two-prices' }), folder.options)
    await versionStore(folder.options.published).publish('two-prices', two.version!)
    await serve(folder.options.published)
    expect((await get('/v1/bars/TWO?range=max', key.value)).status).toBe(200)
    const path = files.placeOf(manifest.file)
    const bytes = await readFile(path)
    // One bit in the first block, behind its frame header.
    bytes[20]! ^= 1
    await writeFile(path, bytes)
    const answer = await fetch(`${server.url}/v1/bars/OWN?range=max`, { headers: { 'x-api-key': key.value } })
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5'])
    expect(await answer.json()).toMatchObject({ code: 'data_unavailable', retry_after: 5 })
    expect((await get('/v1/bars?symbols=OWN,TWO&range=max', key.value)).status).toBe(503)
    expect((await get('/v1/bars/TWO?range=max', key.value)).body.data[0].close).toBe(30)
    expect(await server.spending(key.accountId)).toMatchObject({ rows: 4, failedRows: 2, credits: 2 })
  })

  test('own bars of a symbol replace the demo ones', async () => {
    const { value: key } = await server.key({ credits: 100 })
    await folder.file('prices.csv', rows([10, 11]).replaceAll('OWN', 'GE'))
    const { version } = await importDataset(await folder.bars(), folder.options)
    await versionStore(folder.options.published).publish('own-prices', version!)
    await serve(folder.options.published)
    expect((await get('/v1/quotes?symbols=GE', key)).body.data[0]).toMatchObject({ close: 11, date: '2024-01-03' })
  })
})

describe('entitlement', () => {
  async function subscribe(accountId: number, plan: string) {
    await server.db.pool.query(
      `insert into plans (price_id, product_id, name, description, price_cents, currency, interval, active, features, metadata, type, credits, rate_limit_per_minute, position)
       values ($1, $1, $2, '', 0, 'usd', 'month', true, '{}', '{}', 'free', 10, 100, 1) on conflict do nothing`,
      [`price_${plan}`, plan],
    )
    await server.db.pool.query(
      `insert into subscriptions (id, account_id, price_id, source, status, current_period_start, current_period_end)
       values ($1, $2, $3, 'free', 'active', app_now(), app_now() + interval '1 month')`,
      [`sub_${accountId}_${plan}`, accountId, `price_${plan}`],
    )
  }

  test('data reserved for a plan is readable with that plan, and refused without it for 0 credits', async () => {
    await publish([10, 11], { plans: ['Insiders'] })
    await serve(folder.options.published)
    const [without, withPlan] = [await server.key({ credits: 10 }), await server.key({ credits: 10 })]
    await subscribe(withPlan.accountId, 'Insiders')
    expect((await get('/v1/bars/OWN?range=max', withPlan.value)).status).toBe(200)
    const refused = await get('/v1/bars/OWN?range=max', without.value)
    expect([refused.status, refused.body.code]).toEqual([403, 'not_entitled'])
    expect((await server.spending(without.accountId)).credits).toBe(0)
    const quotes = await get('/v1/quotes?symbols=OWN,AAPL', without.value)
    expect(quotes.body.meta.errors).toEqual([expect.objectContaining({ symbol: 'OWN', code: 'not_entitled' })])
    const list = async (key: string) =>
      (await get('/v1/datasets', key)).body.data.find(({ id }: { id: string }) => id === 'own-prices').entitled
    expect([await list(without.value), await list(withPlan.value)]).toEqual([false, true])
    expect(
      (await get('/v1/symbols?q=OWN', without.value)).body.data.filter(
        ({ symbol }: { symbol: string }) => symbol === 'OWN',
      ),
    ).toEqual([])
  })

  test('a plan that ends takes the data with it', async () => {
    await publish([10, 11], { plans: ['insiders'] })
    await serve(folder.options.published)
    const key = await server.key({ credits: 1000 })
    await subscribe(key.accountId, 'Insiders')
    expect((await get('/v1/bars/OWN', key.value)).status).toBe(200)
    await server.db.pool.query(`update subscriptions set status = 'canceled' where account_id = $1`, [key.accountId])
    await expect.poll(async () => (await get('/v1/bars/OWN', key.value)).status).toBe(403)
  })

  test('the demo key cannot read internal data and does not see that it exists', async () => {
    await publish([10, 11])
    await serve(folder.options.published)
    expect((await get('/v1/bars/OWN', 'demo')).status).toBe(404)
    expect((await get('/v1/datasets', 'demo')).body.data.map(({ id }: { id: string }) => id)).not.toContain(
      'own-prices',
    )
    expect((await get('/v1/bars/AAPL', 'demo')).status).toBe(200)
  })
})
