import { fork } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { SPREAD, spreadOf } from './spread-bars.ts'
import type { StoredBarsFigures } from './stored-bars-process.ts'

const MEMORY_MB = 256

/** Writes `bars` synthetic minutes, serves them from a process with little memory, and deletes them. */
export async function runStoredBars(bars: number, say: (line: string) => void): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'finmeter-stored-bars-'))
  const run = (act: string) =>
    new Promise<StoredBarsFigures | undefined>((resolve, reject) => {
      let figures: StoredBarsFigures | undefined
      fork(join(import.meta.dirname, 'stored-bars-process.ts'), [act, directory, String(bars)], {
        env: { ...process.env, DATA_MEMORY_MB: String(MEMORY_MB) },
        execArgv: ['--disable-warning=ExperimentalWarning'],
      })
        .on('message', (message) => {
          figures = message as StoredBarsFigures
        })
        .once('exit', (code) => (code === 0 ? resolve(figures) : reject(new Error(`${act} ended with code ${code}`))))
    })
  try {
    say(`writing ${bars.toLocaleString('en-US')} bars ...`)
    await run('write')
    say('serving them ...')
    return markdown((await run('serve'))!)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

function markdown({ bars, fileBytes, startMs, cold, maxRssBytes, hot }: StoredBarsFigures): string {
  const line = (what: string, figure: string, target: string, met: boolean | null) =>
    `| ${what} | ${figure} | ${target} | ${met === null ? '' : met ? 'yes' : 'no'} |`
  const ratio = hot.stored / hot.held
  const keptRatio = hot.storedKept / hot.heldKept
  const perSecond = (calls: number) => Math.round(calls).toLocaleString('en-US')
  return [
    `${cpus()[0]?.model.trim() ?? 'unknown processor'}, ${cpus().length} cores, Node ${process.version.slice(1)}; load average ${loadavg()[0]!.toFixed(1)} at the end. ${bars.toLocaleString('en-US')} one-minute bars${spreadOf(bars) > 1 ? `, of which one symbol in ${SPREAD} is written and read, and the others are holes in the file` : ''}, DATA_MEMORY_MB=${MEMORY_MB}.`,
    '',
    '| What | Figure | Target | Met |',
    '| --- | --- | --- | --- |',
    line('file', `${(fileBytes / 1e9).toFixed(2)} GB, ${(fileBytes / bars).toFixed(1)} bytes per bar`, '', null),
    line('start: manifest and table of blocks', `${Math.round(startMs)} ms`, 'under 2 s', startMs < 2_000),
    line(
      `252 bars not in memory, ${cold.calls.toLocaleString('en-US')} calls`,
      `p50 ${cold.p50Ms.toFixed(1)} ms, p99 ${cold.p99Ms.toFixed(1)} ms; ${cold.busyMs.toFixed(1)} ms of processor time each; of nothing, in another thread, p99 ${cold.idleP99Ms.toFixed(1)} ms`,
      'p99 under 15 ms',
      cold.p99Ms < 15,
    ),
    line('largest memory of the process', `${Math.round(maxRssBytes / 1e6)} MB`, 'under 1 GB', maxRssBytes < 1e9),
    line(
      '252 bars in memory, without cached text: blocks / all held, calls per second of processor time',
      `${ratio.toFixed(2)} (${perSecond(hot.stored)} / ${perSecond(hot.held)})`,
      'at least 0.95',
      ratio >= 0.95,
    ),
    line(
      '252 bars in memory, with cached text: the same',
      `${keptRatio.toFixed(2)} (${perSecond(hot.storedKept)} / ${perSecond(hot.heldKept)})`,
      'at least 0.95',
      keptRatio >= 0.95,
    ),
  ].join('\n')
}
