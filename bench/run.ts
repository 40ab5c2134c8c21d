import { start, stopAll } from './child.ts'
import { type Field, prepareField } from './field.ts'
import { type Finmeter, startFinmeter } from './finmeter.ts'
import { createLoad, type Load } from './load.ts'
import { describeMachine } from './machine.ts'
import { watchNoise } from './noise.ts'
import type { Options } from './options.ts'
import { differences, prove, readRecorded, type Seen } from './proof.ts'
import { type Results, summarize } from './results.ts'
import { hasRole, type Target, workNames } from './target.ts'
import type { Slice } from './wire.ts'

const WARM_UP_SECONDS = 1
/** The rate at which a year of bars is promised within 15 ms. */
const STEADY_PER_SECOND = 1_000

/** Starts everything, measures, verifies, and stops everything, even after a failure. */
export async function runBench(options: Options, say: (line: string) => void): Promise<Results> {
  /** Last started first: the peers go before the database that they use. */
  const endings: (() => Promise<void>)[] = []
  try {
    const noise = watchNoise()
    say('starting Finmeter and its peers ...')
    const finmeter = await startFinmeter([], options.tools)
    endings.push(finmeter.stop, stopAll)
    const field = await prepareField(finmeter, options.accounts, options.tools)
    endings.push(field.close)
    const load = await createLoad(options.connections)
    endings.push(load.close)
    const machine = await describeMachine(finmeter.connection.db, load.generator)

    const warmUps = new Map<Target, Slice>()
    for (const target of field.targets) warmUps.set(target, await load.run({ ...target, seconds: WARM_UP_SECONDS }))
    const slices = await measure(field.targets, load, options, say)

    const bars = field.targets.find(({ id }) => id === 'bars-finmeter')!
    say(`252 bars at a steady ${STEADY_PER_SECOND.toLocaleString('en-US')} calls/s ...`)
    const steady = await start<Slice>('generators/steady.ts', {
      port: bars.port,
      requests: bars.requests,
      perSecond: STEADY_PER_SECOND,
      seconds: 2 * options.sliceSeconds,
      connections: options.connections,
    })

    const proof = await settleAccounts(finmeter, field, (target) => [
      warmUps.get(target)!,
      ...slices[target.id]!,
      ...(target === bars ? [steady] : []),
    ])
    const { rounds, sliceSeconds, connections, accounts, tools } = options
    return {
      machine,
      noise: noise(slices['rest-bare']!.map(({ perSecond }) => perSecond)),
      day: new Date().toISOString().slice(0, 10),
      rounds,
      sliceSeconds,
      connections,
      accounts,
      tools,
      ...summarize(field.targets, slices),
      slices,
      steady,
      proof,
    }
  } finally {
    for (const end of endings.reverse()) await end()
  }
}

/** Each round gives every target one slice. The order rotates, so that no target always follows the same one. */
async function measure(
  targets: Target[],
  load: Load,
  options: Options,
  say: (line: string) => void,
): Promise<Record<string, Slice[]>> {
  const slices: Record<string, Slice[]> = Object.fromEntries(targets.map(({ id }) => [id, []]))
  for (let round = 0; round < options.rounds; round++) {
    for (let i = 0; i < targets.length; i++) {
      const target = targets[(i + round) % targets.length]!
      const slice = await load.run({ ...target, seconds: options.sliceSeconds })
      slices[target.id]!.push(slice)
      say(
        `round ${round + 1}  ${workNames[target.work].padEnd(14)}  ${target.label.padEnd(32)}${Math.round(slice.perSecond).toLocaleString('en-US').padStart(8)} calls/s`,
      )
    }
  }
  return slices
}

/** Compares everything that clients saw with everything that was written, for Finmeter and for the peers that write. */
async function settleAccounts(
  { connection }: Finmeter,
  field: Field,
  slicesOf: (target: Target) => Slice[],
): Promise<Results['proof']> {
  const seenBy = (suffix: string, before = 0): Seen => {
    const seen: Seen = { sent: before, answered: before, refused: 0, broken: 0 }
    for (const slice of field.targets.filter(({ id }) => id.endsWith(suffix)).flatMap(slicesOf)) {
      for (const count of ['sent', 'answered', 'refused', 'broken'] as const) seen[count] += slice[count]
    }
    return seen
  }
  const seen = seenBy('-finmeter', field.callsBefore.finmeter)
  const { recorded, problems } = await prove(connection.db, seen)
  const plain = differences(
    seenBy('-one-transaction', field.callsBefore.oneTransaction),
    await readRecorded(field.oneTransaction),
  )
  problems.push(...plain.map((problem) => `one transaction per call: ${problem}`))
  const peerFaults: string[] = []
  for (const target of field.targets) {
    const { refused, broken } = seenBy(target.id)
    // A broken connection proves nothing about a peer without a usage count; its figure is shown with a note.
    const list = hasRole(target, 'finmeter') || hasRole(target, 'one-transaction') ? problems : peerFaults
    if (refused + broken > 0)
      list.push(`${workNames[target.work]}, ${target.label}: ${refused} refusals, ${broken} broken connections`)
  }
  return { answers: seen.answered, usageRows: recorded.rows, creditsCharged: recorded.charged, problems, peerFaults }
}
