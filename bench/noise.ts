import { closeSync, existsSync, fsyncSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { median } from './results.ts'

/** How quiet the machine was. Shares are between 0 and 1. */
export interface Noise {
  /** Highest less lowest rate of the bare server, which does the same work in each round, over the median. */
  bareSpread: number
  /** Processor time that the host took away; null where the system does not count it. */
  steal: number | null
  /** 50 writes of 4 KiB, each with fsync, before the first slice. */
  fsyncMs: { median: number; greatest: number }
  /** Processes that ran or waited for a core in the minute before, by core. */
  loadBefore: number
}

/** What the machine does before the first slice. Call the answer after the last one, with the rates of the bare server. */
export function watchNoise(): (bareRates: number[]) => Noise {
  const loadBefore = loadavg()[0]! / cpus().length
  const fsyncMs = timeFsync()
  const before = processorTime()
  return (rates) => {
    const after = processorTime()
    return {
      bareSpread: (Math.max(...rates) - Math.min(...rates)) / median(rates),
      steal: before && after ? (after.steal - before.steal) / (after.all - before.all) : null,
      fsyncMs,
      loadBefore,
    }
  }
}

/** Why figures of this run must not be published; empty if they may be. */
export function noiseProblems({ bareSpread, steal, fsyncMs, loadBefore }: Noise): string[] {
  return [
    ...(bareSpread > 0.3 ? [`the rates of the bare server differ by ${percent(bareSpread)} (at most 30 %)`] : []),
    ...((steal ?? 0) > 0.02 ? [`the host took ${percent(steal!)} of the processor time (at most 2 %)`] : []),
    ...(fsyncMs.median > 10 ? [`fsync takes ${fsyncMs.median.toFixed(1)} ms (at most 10 ms)`] : []),
    ...(loadBefore > 0.5 ? [`${loadBefore.toFixed(1)} other processes wanted each core (at most 0.5)`] : []),
  ]
}

export const noiseText = ({ bareSpread, steal, fsyncMs, loadBefore }: Noise): string =>
  `Noise: rates of the bare server differ by ${percent(bareSpread)}, steal ${steal === null ? 'unknown' : percent(steal)}, fsync ${fsyncMs.median.toFixed(1)} ms (at most ${fsyncMs.greatest.toFixed(1)}), load per core before ${loadBefore.toFixed(1)}.`

const percent = (share: number): string => `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`

/** The first line of /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal. */
function processorTime(): { all: number; steal: number } | null {
  if (!existsSync('/proc/stat')) return null
  const ticks = readFileSync('/proc/stat', 'utf8').split('\n', 1)[0]!.split(/\s+/).slice(1, 9).map(Number)
  return { all: ticks.reduce((sum, one) => sum + one, 0), steal: ticks[7]! }
}

function timeFsync(): Noise['fsyncMs'] {
  const path = join(tmpdir(), `finmeter-fsync-${process.pid}`)
  const file = openSync(path, 'w')
  const page = Buffer.alloc(4096, 1)
  try {
    const times = Array.from({ length: 50 }, () => {
      const began = performance.now()
      writeSync(file, page)
      fsyncSync(file)
      return performance.now() - began
    })
    return { median: median(times), greatest: Math.max(...times) }
  } finally {
    closeSync(file)
    rmSync(path)
  }
}
