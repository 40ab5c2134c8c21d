import { ownOf } from '../../json-schema/own-of.ts'
import { type BlockWriter, createBlockWriter } from '../market-data/bar-store/block-writer.ts'
import type { BarColumns } from '../market-data/bars/bar-series.ts'
import { daysOfMinutes } from '../market-data/bars/resample.ts'
import { exchanges } from '../market-data/calendar/exchanges.ts'
import { dayText, MINUTES_PER_DAY, minuteText } from '../market-data/dates.ts'
import type { BarBlocksManifest } from '../market-data/manifest.ts'
import { barRowReader } from './bar-row.ts'
import { checkBars } from './check-bars.ts'
import type { BarsFile } from './dataset-file.ts'
import { GrowingBars } from './growing-bars.ts'
import type { ImportedData } from './import-dataset.ts'
import type { Findings } from './report.ts'
import type { Rows } from './row-batch.ts'
import { SpilledBars } from './spilled-bars.ts'

/**
 * Reads and checks bars, and writes them to `draft`; null: only checks. Errors go to `findings`; throws only when reading
 * cannot continue. Memory holds a limited number of bars of all symbols, and then one symbol after the other.
 */
export async function importBars(
  dataset: BarsFile,
  rows: Rows,
  findings: Findings,
  draft: string | null,
): Promise<ImportedData> {
  if (dataset.calendar && !exchanges.some(({ mic }) => mic === dataset.calendar))
    throw new Error(
      `${dataset.id}: there is no calendar ${dataset.calendar}. Available: ${exchanges.map(({ mic }) => mic).join(', ')}.`,
    )
  const spilled = new SpilledBars()
  try {
    const { bySymbol, total } = await readBars(dataset, rows, findings, spilled)
    return await layOut(dataset, bySymbol, spilled, total, findings, draft)
  } finally {
    await spilled.close()
  }
}

async function readBars(dataset: BarsFile, rows: Rows, findings: Findings, spilled: SpilledBars) {
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
      const full = spilled.added()
      if (bar.split !== 1 || bar.dividend !== 0)
        bars.actions.set(bar.time, { split: bar.split, dividend: bar.dividend })
      if (full) await spilled.spill(bySymbol.values())
    }
  }
  if (total === 0 && findings.errors === 0) findings.error('no_rows', 'the source has no rows')
  return { bySymbol, total }
}

async function layOut(
  dataset: BarsFile,
  bySymbol: Map<string, GrowingBars>,
  spilled: SpilledBars,
  rows: number,
  findings: Findings,
  draft: string | null,
): Promise<ImportedData> {
  const { interval, basis, volume_basis, currency, timezone } = dataset
  const writer = draft === null ? null : await createBlockWriter(draft)
  try {
    const symbols: BarBlocksManifest['symbols'] = []
    for (const symbol of [...bySymbol.keys()].sort()) {
      const growing = bySymbol.get(symbol)!
      const bars = await spilled.finish(growing)
      bySymbol.delete(symbol)
      checkBars(dataset, symbol, bars, growing.actions, findings)
      // What has errors is not published, so it need not be written.
      const written = writer && findings.errors === 0 ? await writeBars(writer, bars, interval) : NOT_WRITTEN
      symbols.push({ ...cardOf(dataset, symbol, bars, growing), ...written })
    }
    const { sha256, blocks } = (await writer?.finish()) ?? { sha256: '', blocks: 0 }
    const dates = symbols.flatMap(({ first, last }) => [first, last]).sort()
    return {
      rows,
      content: { path: draft ?? '', sha256 },
      file: 'bars.blocks',
      first: dates[0] ?? '',
      last: dates.at(-1) ?? '',
      own: { kind: 'bar_blocks', interval, basis, volume_basis, currency, timezone, blocks, symbols },
    }
  } finally {
    await writer?.close()
  }
}

type Place = Pick<BarBlocksManifest['symbols'][number], 'at' | 'days'>
const NOT_WRITTEN: Place = { at: [0, 1] }

/** Minutes also get the days made of them, so that a call for days reads days. */
async function writeBars(writer: BlockWriter, bars: BarColumns, interval: '1d' | '1m'): Promise<Place> {
  const at = await writer.add(bars, interval)
  if (interval === '1d') return { at }
  const days = daysOfMinutes(bars)
  return { at, days: [...(await writer.add(days, '1d')), days.times.length] }
}

/** What the manifest says of a symbol. */
export function instrumentOf(dataset: BarsFile, symbol: string) {
  const known = ownOf(dataset.instruments, symbol) ?? {}
  return {
    symbol,
    name: known.name ?? symbol,
    aliases: known.aliases ?? [],
    type: known.type ?? dataset.type,
    mic: known.mic === undefined ? dataset.mic : known.mic,
    currency: known.currency ?? dataset.currency,
  }
}

function cardOf(dataset: BarsFile, symbol: string, { times, close }: BarColumns, { actions }: GrowingBars) {
  const day = (time: number) => dayText(dataset.interval === '1d' ? time : Math.floor(time / MINUTES_PER_DAY))
  return {
    ...instrumentOf(dataset, symbol),
    first: day(times[0]!),
    last: day(times.at(-1)!),
    count: times.length,
    actions: [...actions]
      .map(([time, { split, dividend }]): BarBlocksManifest['symbols'][number]['actions'][number] => {
        const index = times.indexOf(time)
        return [index, time, split, dividend, close[index - 1] ?? null]
      })
      .sort(([a], [b]) => a - b),
  }
}
