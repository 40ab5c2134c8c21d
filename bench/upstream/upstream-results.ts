import type { WrkScript } from '../load.ts'
import type { Machine } from '../machine.ts'
import type { Recorded } from '../proof.ts'
import { median, type Ratio, ratio } from '../results.ts'
import type { Slice } from '../wire.ts'
import type { StreamMemory } from './streams.ts'

export interface UpstreamOptions {
  rounds: number
  sliceSeconds: number
  /** Accounts with one key each. */
  accounts: number
  streams: number
}

export type CaseId = 'bare' | 'nginx' | 'node' | 'door' | 'finmeter' | 'quotes' | 'pairs'

export interface Case {
  id: CaseId
  port: number
  /** The process whose work is counted; null: that of nginx is not. */
  pid: number | null
  /** Credits of each answer, as its header says; null: nothing is charged. */
  charged: string | null
  requests: string[]
  /** Looks at the answers; absent: only at their status. */
  script?: WrkScript
}

/** One slice with as many calls as the connections carry. */
export interface Measured {
  slice: Slice
  /** Processor time of the case's process for each call, in microseconds. */
  micros: number | null
}

export interface UpstreamResults {
  machine: Machine
  options: UpstreamOptions
  memory: StreamMemory
  closed: Map<CaseId, Measured[]>
  /** At a steady 1,000 calls a second. */
  steady: Map<CaseId, Slice[]>
  /** Answers that cost a credit, of all kinds together. */
  answered: number
  recorded: Recorded
  problems: string[]
  /** Load average at the end. */
  load: number
}

const names: Record<CaseId, string> = {
  bare: 'the API alone',
  nginx: 'nginx `proxy_pass`',
  node: 'Node pass-through (undici)',
  door: 'nginx, which asks `/v1/meter/auth`',
  finmeter: 'Finmeter',
  quotes: 'Finmeter, its own quotes',
  pairs: 'pairs of authorize and settle',
}

/** The table for docs/performance.md. */
export function upstreamMarkdown(results: UpstreamResults): string {
  const { machine, options, memory, closed, steady, answered, recorded, problems, load } = results
  const rates = (id: CaseId) => closed.get(id)!.map(({ slice }) => slice.perSecond)
  const p50s = (id: CaseId) => steady.get(id)!.map(({ p50Ms }) => p50Ms)
  const rows = [...closed.keys()].map((id) => {
    const slices = steady.get(id)!
    const times = closed.get(id)!.flatMap(({ micros }) => (micros === null ? [] : [micros]))
    const cells = [
      names[id],
      whole(median(rates(id))),
      id === 'node' ? '1' : text(ratio(rates(id), rates('node'))),
      times.length > 0 ? `${median(times).toFixed(0)} µs` : '',
      ...(slices.length > 0 ? [ms(median(p50s(id))), ms(median(slices.map(({ p99Ms }) => p99Ms)))] : ['', '']),
    ]
    return `| ${cells.join(' | ')} |`
  })
  const toNode = ratio(rates('finmeter'), rates('node'))
  const toNginxMs = median(p50s('finmeter').map((p50Ms, round) => p50Ms - p50s('nginx')[round]!))
  const toGets = ratio(rates('pairs'), rates('finmeter'))
  const toQuotes = ratio(rates('pairs'), rates('quotes'))
  const grownMb = memory.mostMb - memory.beforeMb
  return [
    `${machine.cpu}, ${machine.cores} cores, ${machine.platform}; generator, servers and database share it. Node ${machine.node.slice(1)}, PostgreSQL ${machine.postgres}, ${machine.generator}.`,
    `64 connections, ${options.accounts} accounts, ${options.rounds} interleaved rounds, slices of ${options.sliceSeconds} s; medians. Load average ${load.toFixed(1)} at the end.`,
    '',
    '| | Calls/s | Ratio to Node (lowest to highest) | Processor time per call | p50 ms at 1,000/s | p99 ms |',
    '| --- | ---: | --- | ---: | ---: | ---: |',
    ...rows,
    '',
    `- Finmeter / Node pass-through: ${text(toNode)}, ${verdict(toNode.median >= 0.75, 'at least 0.75')}`,
    `- Finmeter, p50 at 1,000 calls a second: ${toNginxMs.toFixed(2)} ms more than nginx, ${verdict(toNginxMs <= 1, 'at most 1')}`,
    `- pairs of authorize and settle / metered GETs of the API: ${text(toGets)}, ${verdict(toGets.median >= 0.4, 'at least 0.4')}; / our own quotes: ${text(toQuotes)}`,
    `- ${whole(memory.streams)} open streams: ${memory.beforeMb} to ${memory.mostMb} MB, +${grownMb} MB, ${verdict(grownMb <= 150, 'at most 150')}`,
    ...(problems.length > 0
      ? ['PROOF FAILED', ...problems]
      : [
          `Proof: ${whole(answered)} responses = ${whole(recorded.rows)} usage rows = ${whole(recorded.charged)} credits; no hold is left; the invariants hold`,
        ]
    ).map((line) => `- ${line}`),
  ].join('\n')
}

const verdict = (met: boolean, target: string): string => `${met ? 'meets' : 'MISSES'} the target of ${target}`
const text = ({ median, least, greatest }: Ratio): string =>
  `${median.toFixed(2)} (${least.toFixed(2)} to ${greatest.toFixed(2)})`
const whole = (value: number): string => Math.round(value).toLocaleString('en-US')
const ms = (value: number): string => value.toFixed(2)
