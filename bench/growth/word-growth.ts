import type { Machine } from '../machine.ts'
import { type Noise, noiseText } from '../noise.ts'
import { median, type Ratio, ratio } from '../results.ts'
import { range } from '../trees.ts'
import { extrapolate } from './extrapolate.ts'
import type { Reading } from './measure-in-turns.ts'
import { type Dimension, dimensionNames, dimensions } from './sizes.ts'

/**
 * How many times its cost at the smallest size a call may cost at the largest. An index of 10,000,000 times the rows is three or four pages deeper, and
 * less of what a call touches is in the processor's caches: half as much again pays for that. Work that grows with the size is far above.
 */
const MOST_GROWTH = 1.5

/** One dimension at one size. */
export interface Line {
  dimension: Dimension
  size: number
  readyMs: number[]
  /** After the load. */
  serverMb: number
  postgresMb: number
  quotes: Reading[]
  /** Of calls of the operations for sale; empty: not measured. */
  operations: Reading[]
}

export interface Growth {
  machine: Machine
  noise: Noise
  bare: Reading[]
  /** By dimension, the smallest size first. */
  lines: Line[]
  problems: string[]
}

export const costOf = ({ serverMicros, postgresMicros }: Omit<Reading, 'perSecond'>): number =>
  serverMicros + postgresMicros
export const linesOf = ({ lines }: Pick<Growth, 'lines'>, wanted: Dimension): Line[] =>
  lines.filter(({ dimension }) => dimension === wanted)

/** The table for docs/performance.md. */
export function growthMarkdown(growth: Growth): string {
  const { machine, noise, bare, problems } = growth
  return [
    `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGiB} GiB; generator, servers and databases share it. Node ${machine.node.slice(1)}, PostgreSQL ${machine.postgres}, ${machine.generator}, 64 connections.`,
    `${bare.length} interleaved rounds; medians, with the lowest and highest. ${noiseText(noise)}`,
    '',
    '| What grows | Size | Ready, s | Server, MB | PostgreSQL, MB | Server, µs a call | PostgreSQL, µs a call | Calls a second |',
    '| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |',
    `| bare node:http |  |  |  |  | ${micros(bare, 'serverMicros')} |  | ${rates(bare)} |`,
    ...dimensions.flatMap((dimension) => rowsOf(growth, dimension)),
    '',
    ...dimensions.flatMap((dimension) => verdictsOf(growth, dimension)),
    ...(problems.length > 0
      ? ['PROOF FAILED', ...problems]
      : [
          'Proof: every answer has its usage row and its credit, at every size; the invariants hold, checked up to 2,000,000 rows',
        ]
    ).map((line) => `- ${line}`),
  ].join('\n')
}

function rowsOf(growth: Growth, dimension: Dimension): string[] {
  const name = dimensionNames[dimension]
  const lines = linesOf(growth, dimension)
  const rows = lines.flatMap((line) => {
    const seconds = range(
      line.readyMs.map((ms) => ms / 1000),
      1,
    )
    const start = [whole(line.size), seconds, whole(line.serverMb), whole(line.postgresMb)]
    return [
      [name, ...start, ...cells(line.quotes)],
      ...(line.operations.length > 0
        ? [[`${name}, called in turn`, whole(line.size), '', '', '', ...cells(line.operations)]]
        : []),
    ]
  })
  const further = extrapolate(lines)
  if (further)
    rows.push([
      name,
      `${whole(further.size)}, extrapolated`,
      '',
      '',
      '',
      whole(further.serverMicros),
      whole(further.postgresMicros),
      '',
    ])
  return rows.map((row) => `| ${row.join(' | ')} |`)
}

const cells = (readings: Reading[]): string[] => [
  micros(readings, 'serverMicros'),
  micros(readings, 'postgresMicros'),
  rates(readings),
]

/** The cost at the largest size relative to that at the smallest, both of the same rounds. */
function verdictsOf(growth: Growth, dimension: Dimension): string[] {
  const lines = linesOf(growth, dimension)
  const [first, last] = [lines[0]!, lines.at(-1)!]
  const verdict = (what: string, { median, least, greatest }: Ratio) =>
    `- ${what}, ${whole(first.size)} to ${whole(last.size)}: ${median.toFixed(2)} times the cost (${least.toFixed(2)} to ${greatest.toFixed(2)}), ${median <= MOST_GROWTH ? 'meets' : 'MISSES'} the target of at most ${MOST_GROWTH}`
  const name = dimensionNames[dimension]
  return [
    verdict(name, ratio(last.quotes.map(costOf), first.quotes.map(costOf))),
    ...(last.operations.length > 0
      ? [verdict(`${name}, called in turn`, ratio(last.operations.map(costOf), first.operations.map(costOf)))]
      : []),
  ]
}

const micros = (readings: Reading[], part: 'serverMicros' | 'postgresMicros'): string =>
  range(
    readings.map((reading) => reading[part]),
    1,
  )
const rates = (readings: Reading[]): string => whole(median(readings.map(({ perSecond }) => perSecond)))
const whole = (value: number): string => Math.round(value).toLocaleString('en-US')
