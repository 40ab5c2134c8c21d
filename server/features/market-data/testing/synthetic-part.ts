import { heldSeries } from '../bars/bar-series.ts'
import type { DatasetPart } from '../dataset-part.ts'
import { dayText } from '../dates.ts'
import type { BarsManifest } from '../manifest.ts'

const FIRST_MINUTE = 25_000_000

/**
 * `count` made-up consecutive one-minute bars, for load tests only: named SYN.* so that nobody mistakes them for real
 * data.
 */
export function syntheticPart(symbol: `SYN.${string}`, count: number, version = '0'): DatasetPart {
  const bars = {
    times: Int32Array.from({ length: count }, (_, i) => FIRST_MINUTE + i),
    open: priceColumn(count, 0),
    high: priceColumn(count, 0.25),
    low: priceColumn(count, -0.25),
    close: priceColumn(count, 0.125),
    volume: Float64Array.from({ length: count }, (_, i) => i),
  }
  const adjustments = { none: { firstIndex: 0, steps: null, publishedClose: null } }
  const series = heldSeries(bars, { actions: [], adjustments })
  const dayOf = (index: number) => dayText(Math.floor((FIRST_MINUTE + index) / 1440))
  const manifest: BarsManifest = {
    kind: 'bars',
    id: symbol.toLowerCase().replace('.', '-'),
    name: 'Synthetic bars',
    file: 'none.csv.gz',
    sha256: version.padEnd(64, '0'),
    rows: count,
    first: dayOf(0),
    last: dayOf(count - 1),
    redistribution: 'open',
    notes: [],
    sources: [
      { package: 'none', version: '0', package_sha256: '0'.repeat(64), path: '', licence: 'none', publisher: 'a test' },
    ],
    symbol,
    aliases: [],
    type: 'crypto',
    mic: null,
    currency: 'USD',
    timezone: 'UTC',
    interval: '1m',
    basis: 'none',
    volume_basis: 'none',
    adjustments: { none: dayOf(0) },
  }
  return { manifest, kind: 'bars', symbols: [{ manifest, series }] }
}

const priceColumn = (count: number, above: number): Float64Array =>
  Float64Array.from({ length: count }, (_, i) => 100 + (i % 1000) / 100 + above)
