import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../../..')

export interface PaymentProof {
  /** Stories by how their events arrive: a file of server/features/billing/scenarios. */
  stories: { events: string; passed: number; failed: number }[]
}

interface Report {
  testResults: { name: string; assertionResults: { status: string }[] }[]
}

const told = new Set(['passed', 'failed'])

/**
 * I3, I5, I6 and I8: tells every story of payments (plans, top-ups, refunds, disputes, pay-as-you-go) with the payment
 * provider's events in order, doubled and shuffled, and lost; each ends with the invariants by SQL. As `npm test` does.
 */
export function provePayments(): PaymentProof {
  const dir = mkdtempSync(join(tmpdir(), 'finmeter-payments-'))
  const file = join(dir, 'report.json')
  try {
    const words = ['run', 'server/features/billing/scenarios', '--reporter=json', `--outputFile=${file}`]
    spawnSync(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), ...words], {
      cwd: root,
      stdio: ['ignore', 'ignore', 2],
    })
    const { testResults } = JSON.parse(readFileSync(file, 'utf8')) as Report
    if (testResults.length === 0) throw new Error('No story of payments was told.')
    return {
      stories: testResults
        // Those that wait for a key of the provider's test mode were not told.
        .filter(({ assertionResults }) => assertionResults.every(({ status }) => told.has(status)))
        .map(({ name, assertionResults }) => ({
          events: name.replace(/^.*\/(.+)\.test\.ts$/, '$1'),
          passed: assertionResults.filter(({ status }) => status === 'passed').length,
          failed: assertionResults.filter(({ status }) => status === 'failed').length,
        })),
    }
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

/** The table of docs/correctness.md. */
export const paymentsMarkdown = ({ stories }: PaymentProof): string =>
  [
    '| Payments: events arrive | Stories that ended with I3, I5, I6 and I8 | Failed |',
    '| --- | ---: | ---: |',
    ...stories.map(({ events, passed, failed }) => `| ${events} | ${passed} | ${failed} |`),
  ].join('\n')
