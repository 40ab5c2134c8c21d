import { readFileSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeAccounts } from './accounts.ts'
import { startFinmeter } from './finmeter.ts'
import { createLoad } from './load.ts'
import { quotePath, restRequests } from './requests.ts'

export interface Profile {
  calls: number
  perSecond: number
  /** Processor time for each call, in microseconds: of the server, and of the PostgreSQL backend that commits. */
  serverMicros: number
  commitMicros: number | null
  /** Shares of the server's time, largest first. */
  shares: { part: string; share: number }[]
}

interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string }; children?: number[] }[]
  samples: number[]
  timeDeltas: number[]
}

/** The step of the call that a script belongs to; the first match. A frame without one counts for its caller. */
const parts: [part: string, where: RegExp][] = [
  ['waiting for work', /^\((idle)\)$/],
  ['garbage collection', /^\(garbage collector\)$/],
  [
    'commit: encode, send, settle',
    /features\/metering\/(batch|account-queues|committer|batch-connection|receipt-id|create-meter|latency|idempotency)/,
  ],
  ['commit: PostgreSQL driver', /node_modules\/(pg|pg-protocol|pg-pool|pg-types)\//],
  ['admit: rate limit, hints', /features\/metering\/(count-request|rate-limiter|refusal-hints)/],
  ['verify: key', /features\/keys\//],
  [
    'input: query, zod',
    /data-api\/rest-(input|match)|tools\/(parse-input|idempotency-key|dry-run)|node_modules\/zod\//,
  ],
  ['tool: data', /features\/market-data\//],
  ['reply: body, ETag, headers', /features\/data-api\/|tools\/check-output|http\/security-headers/],
  [
    'raw lane, run-tool',
    /server\/raw-lane|tools\/(run-tool|prepare|execute|settle|price)|http\/(raw-server|client-address|request-log)/,
  ],
  ['HTTP: request and response as bytes', /http\/(quick-connection|clean-request|http-date)/],
  ['Node: crypto', /^node:internal\/crypto/],
  ['Node: HTTP', /^node:(_http|internal\/http|http)/],
  ['Node: sockets and streams', /^node:(net|internal\/(stream|streams|js_stream|stream_base))/],
  ['Node: timers, promises, queue', /^node:(internal\/(process|timers|async|promise)|timers)/],
]

/** Profiles the running product under `seconds` of REST load: the share of time of each step. */
export async function runProfile(seconds: number): Promise<Profile> {
  const dir = await mkdtemp(join(tmpdir(), 'finmeter-profile-'))
  const load = await createLoad(64)
  const finmeter = await startFinmeter(['--cpu-prof', `--cpu-prof-dir=${dir}`, '--cpu-prof-interval=500'])
  let stopped = false
  try {
    const { db, secrets } = finmeter.connection
    const requests = restRequests(await makeAccounts(db, secrets, 1_000), quotePath)
    await load.run({ port: finmeter.port, requests, seconds: 2 })
    const { rows } = await db.pool.query(
      "select pid from pg_stat_activity where application_name = 'finmeter-meter' limit 1",
    )
    const before = [processorMicros(finmeter.pid), processorMicros(rows[0]?.pid)]
    const slice = await load.run({ port: finmeter.port, requests, seconds })
    const after = [processorMicros(finmeter.pid), processorMicros(rows[0]?.pid)]
    const each = (i: number) =>
      before[i] === null || after[i] === null ? null : (after[i]! - before[i]!) / slice.answered
    stopped = true
    await finmeter.stop()
    const [file] = await readdir(dir)
    return {
      calls: slice.answered,
      perSecond: slice.perSecond,
      serverMicros: each(0) ?? 0,
      commitMicros: each(1),
      shares: sharesOf(JSON.parse(await readFile(join(dir, file!), 'utf8')) as CpuProfile),
    }
  } finally {
    if (!stopped) await finmeter.stop()
    await load.close()
    await rm(dir, { recursive: true, force: true })
  }
}

/** Self time of each sample, assigned to the step of the nearest frame that has one, without waiting. */
function sharesOf({ nodes, samples, timeDeltas }: CpuProfile): Profile['shares'] {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const parent = new Map(nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node.id] as const)))
  const partOf = new Map<number, string>()
  const find = (id: number): string => {
    const known = partOf.get(id)
    if (known !== undefined) return known
    const { functionName, url } = byId.get(id)!.callFrame
    const own = parts.find(([, where]) => where.test(url) || where.test(functionName))?.[0]
    const up = parent.get(id)
    const part = own ?? (up === undefined ? 'everything else' : find(up))
    partOf.set(id, part)
    return part
  }
  const total = new Map<string, number>()
  let busy = 0
  // The last seconds are the load; start-up comes before them.
  const from = timeDeltas.reduce((sum, delta) => sum + delta, 0) * 0.5
  let at = 0
  for (const [i, id] of samples.entries()) {
    at += timeDeltas[i]!
    const part = find(id)
    if (at < from || part === 'waiting for work') continue
    busy += timeDeltas[i]!
    total.set(part, (total.get(part) ?? 0) + timeDeltas[i]!)
  }
  return [...total].map(([part, micros]) => ({ part, share: micros / busy })).sort((a, b) => b.share - a.share)
}

/** User and system time of a process in microseconds, counted in hundredths of a second; null without /proc. */
export function processorMicros(pid: number | undefined): number | null {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
    return (Number(fields[11]) + Number(fields[12])) * 10_000
  } catch {
    return null
  }
}

/** The table for docs/metered-call.md. */
export function profileMarkdown({ calls, perSecond, serverMicros, commitMicros, shares }: Profile): string {
  return [
    `${Math.round(perSecond).toLocaleString('en-US')} calls per second with the profiler on (${calls.toLocaleString('en-US')} calls, 64 connections, 1,000 accounts). Processor time per call: ${serverMicros.toFixed(0)} µs in the server${commitMicros === null ? '' : `, ${commitMicros.toFixed(0)} µs in the committing backend`}.`,
    '',
    '| Where the server spends its time | Share |',
    '| --- | ---: |',
    ...shares.map(({ part, share }) => `| ${part} | ${(100 * share).toFixed(1)}% |`),
  ].join('\n')
}
