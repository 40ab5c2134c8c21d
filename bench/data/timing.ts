export interface Timing {
  p50Ms: number
  p99Ms: number
  perSecond: number
}

/** Calls `work` repeatedly for about `seconds`, after a warm-up of a tenth of that. */
export async function time(work: (call: number) => unknown, seconds: number): Promise<Timing> {
  const run = async (lengthMs: number): Promise<number[]> => {
    const took: number[] = []
    const end = performance.now() + lengthMs
    for (let call = 0; performance.now() < end || took.length < 5; call++) {
      const started = performance.now()
      const working = work(call)
      if (working instanceof Promise) await working
      took.push(performance.now() - started)
    }
    return took
  }
  await run(seconds * 100)
  const took = (await run(seconds * 1000)).sort((a, b) => a - b)
  const total = took.reduce((sum, one) => sum + one, 0)
  const at = (part: number) => took[Math.min(took.length - 1, Math.floor(took.length * part))]!
  return { p50Ms: at(0.5), p99Ms: at(0.99), perSecond: (1000 * took.length) / total }
}

const TURNS = 5

/**
 * The same for several functions to compare: each gets `seconds` in total, in short turns, so that a busy moment
 * affects all of them.
 */
export async function inTurns<Works extends ((call: number) => unknown)[]>(
  works: [...Works],
  seconds: number,
): Promise<{ [K in keyof Works]: Timing }> {
  const timings: Timing[][] = works.map(() => [])
  for (let turn = 0; turn < TURNS; turn++)
    for (const [index, work] of works.entries()) timings[index]!.push(await time(work, seconds / TURNS))
  const middle = (pick: (timing: Timing) => number, all: Timing[]) =>
    all.map(pick).sort((a, b) => a - b)[Math.floor(all.length / 2)]!
  return timings.map((all) => ({
    p50Ms: middle(({ p50Ms }) => p50Ms, all),
    p99Ms: middle(({ p99Ms }) => p99Ms, all),
    perSecond: middle(({ perSecond }) => perSecond, all),
  })) as { [K in keyof Works]: Timing }
}

/** Seconds of processor time that this process spent in `work`, which stays comparable on a busy machine. */
export async function processorSeconds(work: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6
}

export interface Line {
  what: string
  figure: string
  target: string
  met: boolean | null
}
