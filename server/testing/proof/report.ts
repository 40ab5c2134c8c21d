import type { ProofResult } from './run.ts'

const whole = (value: number): string => value.toLocaleString('en-US')

/** The counts of a proof, one line each. */
export function proofLines(result: ProofResult): [name: string, value: string][] {
  return [
    ['calls sent', whole(result.sent)],
    ['of these, over MCP', whole(result.sentOverMcp)],
    ['answered and charged', whole(result.charged)],
    ['answered again with an idempotency key, at 0 credits', whole(result.replayed)],
    ['refused (no credits, cap or budget reached)', whole(result.refused)],
    ['answered 503 `metering_unavailable`, nothing charged', whole(result.unavailable)],
    ['without a response (server or network failed)', whole(result.broken)],
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
