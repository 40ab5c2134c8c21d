import type { ProofResult } from './run.ts'

const whole = (value: number): string => value.toLocaleString('en-US')

/** The counts of a proof, one line each. */
export function proofLines(result: ProofResult): [name: string, value: string][] {
  return [
    ['calls sent', whole(result.sent)],
    ['of these, over MCP', whole(result.sentOverMcp)],
    ['of these, to operations of the upstream', whole(result.sentToUpstream)],
    ['of these, to `/v1/meter`', whole(result.sentToMeterDoor)],
    ['answered and charged', whole(result.charged)],
    ['answered again with an idempotency key, at 0 credits', whole(result.replayed)],
    ['refused (no credits, cap or budget reached)', whole(result.refused)],
    ['answered 503 `metering_unavailable`, nothing charged', whole(result.unavailable)],
    ['answered 502 or 504 because the upstream failed, nothing charged', whole(result.upstreamFailed)],
    ['answered 409, because the first call with the idempotency key had not ended', whole(result.underWay)],
    ['without a response (server or network failed)', whole(result.broken)],
    ['streams read to the end', whole(result.streamsRead)],
    ['streams that the customer left', whole(result.streamsLeft)],
    ['streams that broke off', whole(result.streamsCut)],
    ['authorized calls that were settled', whole(result.settled)],
    ['authorized calls that were released', whole(result.released)],
    ['authorized calls that were never settled', whole(result.neverSettled)],
    ['open holds at the end, all ended once their time had passed', whole(result.expired)],
    ['orders that the upstream carried out', whole(result.orders)],
    ['usage rows of successful calls', whole(result.rows)],
    ['credits charged', whole(result.credits)],
    ['of these, charges whose response no client received', whole(result.unheard)],
    ['faults injected', whole(Object.values(result.faults).reduce((sum, count) => sum + count, 0))],
    ['invariant checks during the run, all without a violation', whole(result.checks)],
    ['**differences**', `**${whole(result.differences.length)}**`],
  ]
}

/** The same counts as the tables of docs/correctness.md. */
export function proofMarkdown(result: ProofResult): string {
  const counts = proofLines(result).map(([name, value]) => `| ${name} | ${value} |`)
  const faults = Object.entries(result.faults).map(([name, count]) => `| ${name} | ${whole(count)} |`)
  const disk = result.diskCouldBeFilled
    ? ''
    : '\nThe disk was not filled, because this machine does not allow mounting a small file system.\n'
  return [
    `${Math.round(result.seconds)} seconds, two servers, one PostgreSQL with fsync and synchronous_commit on.`,
    '',
    '| Count | Value |',
    '| --- | ---: |',
    ...counts,
    '',
    '| Fault | Times |',
    '| --- | ---: |',
    ...faults,
    disk,
  ].join('\n')
}
