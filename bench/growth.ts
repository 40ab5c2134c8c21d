import { readFileSync } from 'node:fs'
import { start, stopAll } from './child.ts'
import { measureInTurns, type Turn } from './growth/measure-in-turns.ts'
import { operationRequests } from './growth/publish-operations.ts'
import { dimensions, type Size, sizesUpTo, smallest } from './growth/sizes.ts'
import { type Point, startPoint } from './growth/start-point.ts'
import type { Growth, Line } from './growth/word-growth.ts'
import { createLoad } from './load.ts'
import { describeMachine, residentMb } from './machine.ts'
import { watchNoise } from './noise.ts'
import { differences, prove, readRecorded, type Seen } from './proof.ts'
import { recordRest } from './record.ts'
import { quotePath, restRequests } from './requests.ts'
import { backendsOf } from './trees.ts'

const CONNECTIONS = 64
/** To check every invariant sorts all rows. Larger installations are filled by the same statements. */
const MOST_ROWS_CHECKED = 2_000_000

/**
 * What a metered call costs on installations of several sizes: one dimension grows, the others stay at their smallest. The
 * installations and a bare server run side by side and take turns, and every call is accounted for. Needs Linux.
 */
export async function runGrowth(largest: Partial<Size>, say: (line: string) => void): Promise<Growth> {
  const noise = watchNoise()
  const load = await createLoad(CONNECTIONS)
  const endings: (() => Promise<void>)[] = [load.close, stopAll]
  try {
    const upstream = await start('upstream/serve-acme.ts', {})
    const open = async (grown: Partial<Size>): Promise<Point> => {
      say(`filling ${JSON.stringify(grown)} ...`)
      const point = await startPoint({ ...smallest, ...grown }, upstream.port, say)
      endings.push(point.finmeter.stop)
      say(`ready after ${point.readyMs.map(Math.round).join(', ')} ms`)
      return point
    }
    const base = await open({})
    const sizes = sizesUpTo(largest)
    const lines: { dimension: Line['dimension']; point: Point }[] = []
    for (const dimension of dimensions) {
      lines.push({ dimension, point: base })
      for (const size of sizes[dimension]) lines.push({ dimension, point: await open({ [dimension]: size }) })
    }
    const points = new Set(lines.map(({ point }) => point))
    const sold = new Set(lines.flatMap(({ dimension, point }) => (dimension === 'operations' ? [point] : [])))

    const answers = await recordRest(base.finmeter.port, base.keys[0]!, quotePath)
    const bare = { ...turnOf(base, 'bare'), ...(await start('peers/bare.ts', { answers })) }
    const turns = [
      bare,
      ...[...points].map((point) => turnOf(point, 'quote')),
      ...[...sold].map((point) => turnOf(point, 'operation')),
    ]
    await measureInTurns(turns, load, say)
    const readings = (of: Point, wanted: Turn['work']) =>
      turns.find(({ point, work }) => point === of && work === wanted)?.readings ?? []
    const measured: Line[] = []
    for (const { dimension, point } of lines)
      measured.push({
        dimension,
        size: point.size[dimension],
        readyMs: point.readyMs,
        serverMb: residentMb(point.finmeter.pid),
        postgresMb: await postgresMb(point),
        quotes: readings(point, 'quote'),
        operations: dimension === 'operations' ? readings(point, 'operation') : [],
      })

    const problems: string[] = []
    for (const point of points) {
      const before = point.seeded + (point === base ? answers.length : 0)
      const sent = turns.filter((turn) => turn.point === point && turn.work !== 'bare').map(({ seen }) => seen)
      const seen = sent.reduce(sumOf, { sent: before, answered: before, refused: 0, broken: 0 })
      problems.push(...(await problemsOf(point, seen)).map((problem) => `${nameOf(point)}: ${problem}`))
    }
    return {
      machine: await describeMachine(base.finmeter.connection.db, load.generator),
      noise: noise(bare.readings.map(({ perSecond }) => perSecond)),
      bare: bare.readings,
      lines: measured,
      problems,
    }
  } finally {
    for (const end of endings.reverse()) await end()
  }
}

function turnOf(point: Point, work: Turn['work']): Turn {
  const { finmeter, size, keys } = point
  return {
    work,
    name: work === 'bare' ? 'bare node:http' : `${nameOf(point)}, ${work}`,
    point,
    port: finmeter.port,
    pid: finmeter.pid,
    requests: work === 'operation' ? operationRequests(keys, size.operations) : restRequests(keys, quotePath),
    seen: { sent: 0, answered: 0, refused: 0, broken: 0 },
    readings: [],
  }
}

const nameOf = ({ size }: Point): string =>
  dimensions
    .filter((dimension) => size[dimension] !== smallest[dimension])
    .map((dimension) => `${size[dimension].toLocaleString('en-US')} ${dimension}`)
    .join(', ') || 'smallest'

const sumOf = (one: Seen, other: Seen): Seen => ({
  sent: one.sent + other.sent,
  answered: one.answered + other.answered,
  refused: one.refused + other.refused,
  broken: one.broken + other.broken,
})

async function problemsOf({ finmeter, seeded }: Point, seen: Seen): Promise<string[]> {
  const { db } = finmeter.connection
  return seeded <= MOST_ROWS_CHECKED ? (await prove(db, seen)).problems : differences(seen, await readRecorded(db))
}

/** Of all its processes; what they share counts once. */
async function postgresMb({ finmeter }: Point): Promise<number> {
  const sharesKb = (await backendsOf(finmeter)).map((pid) => Number(/^Pss:\s+(\d+)/m.exec(rollup(pid))?.[1] ?? 0))
  return Math.round(sharesKb.reduce((sum, share) => sum + share, 0) / 1024)
}

function rollup(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
  } catch {
    // It has ended.
    return ''
  }
}
