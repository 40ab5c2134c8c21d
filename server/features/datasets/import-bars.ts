import type { BarColumns } from '../market-data/bars/bar-series.ts'
import { columnsAt, symbolBytes } from '../market-data/bars/bar-set.ts'
import { exchanges } from '../market-data/calendar/exchanges.ts'
import { dayText, MINUTES_PER_DAY, minuteText } from '../market-data/dates.ts'
import type { BarSetManifest } from '../market-data/manifest.ts'
import { barRowReader } from './bar-row.ts'
import { checkBars } from './check-bars.ts'
import type { BarsFile } from './dataset-file.ts'
import { GrowingBars } from './growing-bars.ts'
import type { ImportedData } from './import-dataset.ts'
import type { Findings } from './report.ts'
import type { Rows } from './row-batch.ts'

/** Reads, checks and lays out bars. Errors go to `findings`; throws only when reading cannot continue. */
export async function importBars(dataset: BarsFile, rows: Rows, findings: Findings): Promise<ImportedData> {
  if (dataset.calendar && !exchanges.some(({ mic }) => mic === dataset.calendar))
    throw new Error(
      `${dataset.id}: there is no calendar ${dataset.calendar}. Available: ${exchanges.map(({ mic }) => mic).join(', ')}.`,
    )
  const read = barRowReader(dataset, findings)
  const shown = dataset.interval === '1d' ? dayText : minuteText
  const most = dataset.limits.rows
  const bySymbol = new Map<string, GrowingBars>()
  let total = 0
  for await (const { cells, where } of rows) {
    for (let index = 0; index < cells.length; index++) {
      total += 1
      if (total > most)
        throw new Error(
          `${where(index)}: more than ${most.toLocaleString('en-US')} rows. Raise limits.rows if this is intended.`,
        )
      const bar = read(cells[index]!, () => where(index))
      if (!bar) continue
      let bars = bySymbol.get(bar.symbol)
      if (!bars) {
        bars = new GrowingBars()
        bySymbol.set(bar.symbol, bars)
      }
      if (bars.lastTime === bar.time) {
        findings.error('duplicate', `${where(index)}: ${bar.symbol} has a second bar for ${shown(bar.time)}`)
        continue
      }
      bars.add(bar.time, bar.open, bar.high, bar.low, bar.close, bar.volume)
      if (bar.split !== 1 || bar.dividend !== 0)
        bars.actions.set(bar.time, { split: bar.split, dividend: bar.dividend })
    }
  }
  if (total === 0 && findings.errors === 0) findings.error('no_rows', 'the source has no rows')
  return layOut(dataset, bySymbol, total, findings)
}

function layOut(dataset: BarsFile, bySymbol: Map<string, GrowingBars>, rows: number, findings: Findings): ImportedData {
  const size = [...bySymbol.values()].reduce((sum, { count }) => sum + symbolBytes(count), 0)
  const buffer = new ArrayBuffer(size)
  const symbols: BarSetManifest['symbols'] = []
  let offset = 0
  for (const symbol of [...bySymbol.keys()].sort()) {
    const growing = bySymbol.get(symbol)!
    const bars = growing.finish()
    bySymbol.delete(symbol)
    checkBars(dataset, symbol, bars, growing.actions, findings)
    copy(bars, columnsAt(buffer, offset, growing.count))
    symbols.push({ ...cardOf(dataset, symbol, bars, growing), offset, count: growing.count })
    offset += symbolBytes(growing.count)
  }
  const { interval, basis, volume_basis, currency, timezone } = dataset
  return {
    rows,
    bytes: new Uint8Array(buffer),
    file: 'bars.bin',
    first: symbols.map(({ first }) => first).sort()[0] ?? '',
    last:
      symbols
        .map(({ last }) => last)
        .sort()
        .at(-1) ?? '',
    own: { kind: 'bar_set', interval, basis, volume_basis, currency, timezone, symbols },
  }
}

function copy(from: BarColumns, to: BarColumns): void {
  for (const name of ['times', 'open', 'high', 'low', 'close', 'volume'] as const)
    (to[name] as Float64Array).set(from[name])
}

function cardOf(dataset: BarsFile, symbol: string, { times }: BarColumns, { actions }: GrowingBars) {
  const known = dataset.instruments[symbol] ?? {}
  const day = (time: number) => dayText(dataset.interval === '1d' ? time : Math.floor(time / MINUTES_PER_DAY))
  return {
    symbol,
    name: known.name ?? symbol,
    aliases: known.aliases ?? [],
    type: known.type ?? dataset.type,
    mic: known.mic === undefined ? dataset.mic : known.mic,
    currency: known.currency ?? dataset.currency,
    first: day(times[0]!),
    last: day(times.at(-1)!),
    actions: [...actions]
      .map(([time, { split, dividend }]): [number, number, number] => [times.indexOf(time), split, dividend])
      .sort(([a], [b]) => a - b),
  }
}
