import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../../..')

export interface PaymentProof {
  /** Payment stories by event delivery mode: a file of server/features/billing/scenarios. */
  stories: { events: string; passed: number; failed: number }[]
}

export interface Report {
  testResults: { name: string; assertionResults: { status: string; title: string }[] }[]
}

const run = new Set(['passed', 'failed'])

/**
 * I3, I5, I6 and I8: runs every payment story (plans, top-ups, refunds, disputes, pay-as-you-go) with the payment
 * provider's events in order, duplicated and shuffled, and lost. Each ends with the invariants in SQL. `npm test -- --all`
 * runs the same stories.
 */
export function provePayments(): PaymentProof {
  const testResults = reportOf('server/features/billing/scenarios', 'No payment story was run.')
  return {
    stories: testResults
      // Those that need a test-mode key of the provider were skipped.
      .filter(({ assertionResults }) => assertionResults.every(({ status }) => run.has(status)))
      .map(({ name, assertionResults }) => ({
        events: name.replace(/^.*\/(.+)\.test\.ts$/, '$1'),
        passed: assertionResults.filter(({ status }) => status === 'passed').length,
        failed: assertionResults.filter(({ status }) => status === 'failed').length,
      })),
  }
}

/** Steps of what agents pay for, after which a server was killed. */
export interface AgentProof {
  passed: number
  failed: number
}

/**
 * Two servers, one of which is killed with -9 after each step of calls, balances and top-ups that are paid on a local chain: I1 to I9, transfers,
 * payments, ledger and answers are compared. Null: the chain's packages could not be installed.
 */
export function proveAgentPayments(): AgentProof | null {
  const [{ assertionResults }] = reportOf('server/features/agent-payments/killed.test.ts', 'No paid call was run.') as [
    Report['testResults'][number],
  ]
  const steps = assertionResults.filter(({ title }) => title.startsWith('kill -9 after '))
  const of = (wanted: string) => steps.filter(({ status }) => status === wanted).length
  return of('passed') + of('failed') === 0 ? null : { passed: of('passed'), failed: of('failed') }
}

function reportOf(tests: string, nothing: string): Report['testResults'] {
  const dir = mkdtempSync(join(tmpdir(), 'finmeter-payments-'))
  const file = join(dir, 'report.json')
  try {
    const words = ['run', tests, '--reporter=json', `--outputFile=${file}`]
    spawnSync(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), ...words], {
      cwd: root,
      stdio: ['ignore', 'ignore', 2],
      env: { ...process.env, ALL_TESTS: 'yes' },
    })
    const { testResults } = JSON.parse(readFileSync(file, 'utf8')) as Report
    if (testResults.length === 0) throw new Error(nothing)
    return testResults
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

const deliveries: Record<string, string> = { doubled: 'duplicated and shuffled', 'in-order': 'in order', lost: 'lost' }

/** The table of docs/correctness.md. */
export const paymentsMarkdown = ({ stories }: PaymentProof): string =>
  [
    '| Stripe events | Scenarios that end with I3, I5, I6 and I8 intact | Failed |',
    '| --- | ---: | ---: |',
    ...stories.map(({ events, passed, failed }) => `| ${deliveries[events] ?? events} | ${passed} | ${failed} |`),
  ].join('\n')

/** The table of docs/correctness.md. */
export const agentPaymentsMarkdown = ({ passed, failed }: AgentProof): string =>
  [
    '| Calls, balances and top-ups paid by agents | Steps after which a server was killed, with 0 differences | Failed |',
    '| --- | ---: | ---: |',
    `| x402 on a local chain, two servers | ${passed} | ${failed} |`,
  ].join('\n')
