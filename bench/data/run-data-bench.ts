import { fork } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbedded } from '../../server/db/embedded.ts'
import { KEPT_BYTES } from '../../server/features/data-api/rows/kept-text.ts'
import { loadMarketData } from '../../server/features/market-data/market-data.ts'
import { compute } from './compute.ts'
import { exportStream } from './export-stream.ts'
import { serveAYear } from './serve-a-year.ts'
import type { Line } from './timing.ts'
import { importAll, writeCsv } from './transfer.ts'

const MOST_BYTES = 60

/** Measures only the data engine, without HTTP or metering, against PostgreSQL and DuckDB with the same rows. */
export async function runDataBench(seconds: number, say: (line: string) => void): Promise<Line[]> {
  const directory = await mkdtemp(join(tmpdir(), 'finmeter-data-bench-'))
  const endings: (() => Promise<unknown>)[] = [() => rm(directory, { recursive: true, force: true })]
  try {
    say('making synthetic bars ...')
    const csv = await writeCsv(directory)
    say('importing ...')
    const { market, lines } = await importAll(directory)
    say('exporting ...')
    lines.push(...(await exportStream(market)))
    say('computing ...')
    const demo = await loadMarketData({ dir: join(import.meta.dirname, '../../data/demo'), demoPrices: true })
    lines.push(...(await compute(market, demo, seconds)))
    say('serving, compared with PostgreSQL and DuckDB ...')
    const server = await startEmbedded(join(directory, 'database'), 'bench')
    endings.push(() => server.stop())
    lines.push(...(await serveAYear(market, csv, server.connectionString, seconds)))
    say('holding 10,000,000 bars ...')
    lines.push(await tenMillion(directory))
    return lines
  } finally {
    for (const end of endings.reverse()) await end()
  }
}

async function tenMillion(directory: string): Promise<Line> {
  const run = (act: string) =>
    fork(join(import.meta.dirname, 'hold-ten-million.ts'), [act, directory], {
      execArgv: ['--expose-gc', '--disable-warning=ExperimentalWarning'],
    })
  await new Promise<void>((resolve, reject) => {
    run('write').once('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`writing bars ended with code ${code}`)),
    )
  })
  const { bars, bytes } = await new Promise<{ bars: number; bytes: number }>((resolve, reject) => {
    const child = run('hold')
    child.once('message', (message) => resolve(message as { bars: number; bytes: number }))
    child.once('exit', (code) => code && reject(new Error(`loading bars ended with code ${code}`)))
  })
  const each = (bytes + KEPT_BYTES) / bars
  return {
    what: `memory of ${bars.toLocaleString('en-US')} bars`,
    figure: `${(bytes / bars).toFixed(1)} bytes per bar; ${each.toFixed(1)} with a full cache of row text`,
    target: `at most ${MOST_BYTES}`,
    met: each <= MOST_BYTES,
  }
}

const verdict = ({ met }: Line): string => (met === null ? '' : met ? 'yes' : 'no')

/** The table for docs/performance.md. */
export function dataMarkdown(lines: Line[]): string {
  const [first] = cpus()
  return [
    `${first?.model.trim() ?? 'unknown processor'}, ${cpus().length} cores, Node ${process.version.slice(1)}; load average ${loadavg()[0]!.toFixed(1)} at the end. Where a figure includes processor time, the target applies to that figure.`,
    '',
    '| What | Figure | Target | Met |',
    '| --- | --- | --- | --- |',
    ...lines.map((line) => `| ${[line.what, line.figure, line.target, verdict(line)].join(' | ')} |`),
  ].join('\n')
}
