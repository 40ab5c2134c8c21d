import { beforeAll, expect, test, vi } from 'vitest'
import { afterTests, closeAfterTests } from '../../testing/close-after-tests.ts'
import { startTestServer } from '../../testing/harness.ts'
import { importDataset } from '../datasets/import-dataset.ts'
import { servePublished } from '../datasets/serve-published.ts'
import { datasetFolder } from '../datasets/testing/dataset-folder.ts'
import { versionStore } from '../datasets/version-store.ts'
import { createBarMemory } from '../market-data/bar-store/bar-memory.ts'
import { applyShop } from '../shop/apply.ts'
import { shopOf } from '../shop/testing/northwind.ts'

// The documentation of a shop that sells its own prices with our tools, and none of the demonstration's; needs the built web.
const server = await closeAfterTests(startTestServer())
const { market, log, shop, tools } = server.deps
const folder = datasetFolder()

beforeAll(async () => {
  const north = shopOf('North')
  await applyShop(server.db.kysely, { ...north, stored: { ...north.stored, builtins: ['market-data'] } })
  await vi.waitUntil(() => shop.current().name === 'North' && !tools.current().get('add'), { timeout: 120_000 })
  const days = Array.from({ length: 9 }, (_, day) => `ACME,2026-03-0${day + 1},1,2,1,1.5,10\n`).join('')
  await folder.file('prices.csv', `symbol,date,open,high,low,close,volume\n${days}`)
  const dataset = await folder.bars()
  const { version } = await importDataset(dataset, folder.options)
  await versionStore(folder.options.published).publish(dataset.id, version!)
  const published = await servePublished(folder.options.published, market, log, createBarMemory(2 ** 20))
  afterTests(async () => published.close())
})

/** Without the places at which an address may break. */
const text = async (path: string) => (await (await fetch(server.url + path)).text()).replaceAll('<wbr>', '')
const DEMONSTRATION =
  /\/v1\/\S*(VIX|AAPL|MSFT|SPX|OIL\.WTI|IBM)|value="(VIX|AAPL|MSFT|OIL\.WTI|IBM)"|demonstration data/

test('examples have the symbols that are there, and those for which there is nothing are left out', async () => {
  expect(market.current.catalog.instruments.map(({ manifest }) => manifest.symbol)).toEqual(['ACME'])
  const page = await text('/docs/reference/get_bars')
  expect(page).toContain('/v1/bars/ACME?range=1mo')
  expect(page).toMatch(/<input[^>]* name="symbol"[^>]* value="ACME"/)
  // Who may read these rows has an account: a public page does not show them.
  expect(page).not.toContain('2026-03-0')
  expect(await text('/docs/reference/get_quote.md')).toContain('/v1/quotes?symbols=ACME')
  const series = await text('/docs/reference/get_economic_series')
  expect(series).toContain('/v1/series/{id}')
  expect(series).not.toContain('data-run')
})

test('no page of the reference and no guide shows a call for data of the demonstration', async () => {
  const paths = [...(await text('/sitemap.xml')).matchAll(/<loc>[^<]*?(\/docs(?:\/(?!errors)[^<]*)?)<\/loc>/g)].map(
    ([, path]) => path!,
  )
  expect(paths).toEqual(expect.arrayContaining(['/docs', '/docs/reference/get_bars', '/docs/formats-and-paging']))
  const found: [string, string][] = []
  for (const path of paths.flatMap((one) => [one, `${one}.md`])) {
    const shown = DEMONSTRATION.exec(await text(path))
    if (shown) found.push([path, shown[0]])
  }
  expect(found).toEqual([])
  expect(await text('/docs/getting-started')).toContain('/v1/bars/ACME?range=1mo')
  const sheets = await text('/docs/spreadsheets.md')
  expect(sheets).toContain('/v1/bars/ACME?range=1y&format=csv')
  expect(sheets).not.toMatch(/FINMETER|sdk\/spreadsheets/)
})
