import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { PackageName } from './packages.ts'
import { parseTable } from './rows.ts'

type Read = (name: PackageName, path: string) => Promise<string>

/**
 * Series about the same symbols from other publishers, against which tests check our computations. Written next to the
 * tests, never served.
 */
const truths: Record<string, (read: Read) => Promise<string[]>> = {
  'ge-split-adjusted.csv.gz': async (read) => {
    const rows = parseTable(await read('stockcharts', 'docs/data/GE_full.tsv'), '\t')
    return [
      'date,open,high,low,close',
      ...rows.map((row) => [row.date, row.open, row.high, row.low, row.close].join(',')),
    ]
  },
  'sp500-second-source.csv.gz': async (read) => {
    const rows = parseTable(await read('stockcharts', 'docs/data/SP500.csv'), ',').filter(
      (row) => row.date! >= '2000-01-03',
    )
    return ['date,close', ...rows.map((row) => `${row.date},${row.close}`).sort()]
  },
  'monthly-adjusted.csv.gz': async (read) => {
    const rows = parseTable(await read('vega', 'data/stocks.csv'), ',').filter(
      ({ symbol }) => symbol === 'MSFT' || symbol === 'AAPL',
    )
    return ['symbol,month,close', ...rows.map((row) => [row.symbol, isoMonth(row.date!), row.price].join(','))]
  },
}

/** 'Jan 1 2000' is 2000-01. */
function isoMonth(text: string): string {
  const [name, , year] = text.split(' ')
  const month = 'JanFebMarAprMayJunJulAugSepOctNovDec'.indexOf(name!) / 3 + 1
  return `${year}-${String(month).padStart(2, '0')}`
}

/** Writes every reference series into `directory`. */
export async function writeTruths(directory: string, read: Read): Promise<void> {
  for (const [file, make] of Object.entries(truths)) {
    await writeFile(join(directory, file), gzipSync(`${(await make(read)).join('\n')}\n`, { level: 9 }))
  }
}
