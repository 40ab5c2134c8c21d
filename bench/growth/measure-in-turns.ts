import type { Load } from '../load.ts'
import { processorMicros } from '../profile.ts'
import type { Seen } from '../proof.ts'
import { backendsOf } from '../trees.ts'
import type { Slice } from '../wire.ts'
import type { Point } from './start-point.ts'

const ROUNDS = 5
const SECONDS = 3
/** Before each turn, for what grew cold while others had theirs. */
const LEAD_SECONDS = 1
/**
 * A server reads each key again after a minute. Where a slice is not long enough for each account to call, that would fall into one slice and
 * not into the next: a turn is a minute then, and has each reading once.
 */
const MANY_ACCOUNTS = 10_000
const SECONDS_OF_MANY = 60
const WARM_UP_SECONDS = 20

export interface Turn {
  work: 'bare' | 'quote' | 'operation'
  name: string
  point: Point
  /** Of the process whose time is counted. */
  port: number
  pid: number
  requests: string[]
  /** All that was sent, also where it was not measured. */
  seen: Seen
  readings: Reading[]
}

/** One slice. */
export interface Reading {
  /** Processor time of a call. */
  serverMicros: number
  postgresMicros: number
  perSecond: number
}

/** Gives each turn some slices, in rounds. The order rotates, so that no one always follows the same other. */
export async function measureInTurns(turns: Turn[], load: Load, say: (line: string) => void): Promise<void> {
  for (let round = -1; round < ROUNDS; round++)
    for (let at = 0; at < turns.length; at++) {
      const turn = turns[(at + Math.max(round, 0)) % turns.length]!
      const isLong = turn.work !== 'bare' && turn.point.size.accounts >= MANY_ACCOUNTS
      const seconds = isLong ? SECONDS_OF_MANY : SECONDS
      if (round < 0) {
        await send(turn, load, isLong ? WARM_UP_SECONDS : SECONDS)
        continue
      }
      if (!isLong) await send(turn, load, LEAD_SECONDS)
      const reading = await measure(turn, load, seconds)
      turn.readings.push(reading)
      say(
        `round ${round + 1}  ${turn.name}: ${reading.serverMicros.toFixed(1)} µs, PostgreSQL ${reading.postgresMicros.toFixed(1)} µs`,
      )
    }
}

async function send({ port, requests, seen }: Turn, load: Load, seconds: number): Promise<Slice> {
  const slice = await load.run({ port, requests, seconds })
  for (const count of ['sent', 'answered', 'refused', 'broken'] as const) seen[count] += slice[count]
  return slice
}

async function measure(turn: Turn, load: Load, seconds: number): Promise<Reading> {
  const pids = [turn.pid, ...(turn.work === 'bare' ? [] : await backendsOf(turn.point.finmeter))]
  const before = pids.map(processorMicros)
  const { answered, perSecond } = await send(turn, load, seconds)
  // Those that ended meanwhile take their time with them.
  const spent = pids.map((pid, at) => Math.max(0, (processorMicros(pid) ?? 0) - before[at]!) / answered)
  const [serverMicros = 0, ...backends] = spent
  return { serverMicros, postgresMicros: backends.reduce((sum, micros) => sum + micros, 0), perSecond }
}
