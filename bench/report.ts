import { noiseText } from './noise.ts'
import type { Line, Ratio, Results } from './results.ts'
import { hasRole, workNames } from './target.ts'

const BARS_PER_SECOND = 1_500
const BARS_P99_MS = 15

/** The table for a terminal. */
export function asText(results: Results): string {
  const rows = results.lines.map((line) => [
    workNames[line.work],
    line.label,
    whole(line.perSecond),
    ms(line.p50Ms),
    ms(line.p99Ms),
    ratioText(line),
  ])
  return [
    machineText(results),
    '',
    ...columns([['', '', 'calls/s', 'p50 ms', 'p99 ms', 'ratio to bare'], ...rows]),
    '',
    ...floorLines(results),
    ...barLines(results),
    '',
    ...proofLines(results),
  ].join('\n')
}

/** The same for docs/performance.md. */
export function asMarkdown(results: Results): string {
  const head = [
    '| Call | Server | Calls/s | p50 ms | p99 ms | Ratio to bare (lowest to highest) |',
    '| --- | --- | ---: | ---: | ---: | --- |',
  ]
  const rows = results.lines.map(
    (line) =>
      `| ${[workNames[line.work], line.label, whole(line.perSecond), ms(line.p50Ms), ms(line.p99Ms), ratioText(line)].join(' | ')} |`,
  )
  return [
    machineText(results),
    '',
    ...head,
    ...rows,
    '',
    ...floorLines(results).map((line) => `- ${line}`),
    ...barLines(results).map((line) => `- ${line}`),
    ...proofLines(results).map((line) => `- ${line}`),
  ].join('\n')
}

/** The sentence of the README. */
export function asSentence({ machine, day, floors }: Results): string {
  const [bare, betterAuth] = floors
  return [
    `Metered REST calls reach ${figure(bare!.ratio.median)} of the throughput of a bare Node server that sends the same bytes, and ${figure(betterAuth!.ratio.median)} times that of Better Auth's`,
    `\`verifyApiKey\`, measured in one run on ${day} (${machine.cpu}, ${machine.cores} cores, ${machine.memoryGiB} GiB). Repeat it with \`npm run bench\`;`,
    '[docs/performance.md](docs/performance.md) has the rest.',
  ].join('\n')
}

function machineText({ machine, noise, day, rounds, sliceSeconds, connections, accounts, tools }: Results): string {
  return [
    `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGiB} GiB, ${machine.platform}; load generator, servers and database share it.`,
    `Node ${machine.node.slice(1)}, PostgreSQL ${machine.postgres} (fsync ${machine.fsync}, synchronous_commit ${machine.synchronousCommit}), ${machine.generator}.`,
    `${connections} connections, ${accounts} accounts with a key each, ${rounds} interleaved rounds, slices of ${sliceSeconds} s; medians.`,
    `Measured on ${day}. ${noiseText(noise)}`,
    ...(tools === undefined ? [] : [`${tools} MCP tools registered in Finmeter and in the SDK's server.`]),
  ].join('\n')
}

function floorLines({ floors }: Results): string[] {
  return floors.map(({ text, ratio, floor, target }) => {
    const verdict =
      ratio.median >= target
        ? `meets the target of ${target}`
        : ratio.median >= floor
          ? `above the floor of ${floor}, below the target of ${target}`
          : `BELOW the floor of ${floor}`
    return `${text}: ${figure(ratio.median)} (${spread(ratio)}), ${verdict}`
  })
}

/** The targets for a year of daily bars, in calls per second and in milliseconds. */
function barLines({ lines, steady }: Pick<Results, 'lines' | 'steady'>): string[] {
  const { perSecond } = lines.find(({ id }) => id === 'bars-finmeter')!
  const verdict = (met: boolean, target: string) => `${met ? 'meets' : 'MISSES'} the target of ${target}`
  return [
    `252 metered bars: ${whole(perSecond)} calls/s, ${verdict(perSecond >= BARS_PER_SECOND, `${whole(BARS_PER_SECOND)}`)}`,
    `252 metered bars at a steady 1,000 calls/s: p50 ${ms(steady.p50Ms)} ms, p99 ${ms(steady.p99Ms)} ms, ${verdict(steady.p99Ms < BARS_P99_MS, `less than ${BARS_P99_MS} ms`)}`,
  ]
}

function proofLines({ proof }: Results): string[] {
  if (proof.problems.length > 0) return ['PROOF FAILED', ...proof.problems, ...proof.peerFaults]
  return [
    ...proof.peerFaults,
    `Proof: ${whole(proof.answers)} responses = ${whole(proof.usageRows)} usage rows = ${whole(proof.creditsCharged)} credits; the product's invariants hold`,
  ]
}

const ratioText = ({ id, toBare }: Line): string =>
  hasRole({ id }, 'bare') ? '1' : `${figure(toBare.median)} (${spread(toBare)})`
const spread = ({ least, greatest }: Ratio): string => `${figure(least)} to ${figure(greatest)}`
const figure = (value: number): string =>
  value >= 10 ? value.toFixed(0) : value >= 1 ? value.toFixed(1) : value >= 0.095 ? value.toFixed(2) : value.toFixed(3)
const whole = (value: number): string => Math.round(value).toLocaleString('en-US')
const ms = (value: number): string => value.toFixed(1)

/** Pads a table: words to the left, numbers to the right. */
function columns(rows: string[][]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  return rows.map((row) =>
    row
      .map((cell, column) =>
        column >= 2 && column <= 4 ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!),
      )
      .join('  ')
      .trimEnd(),
  )
}
