import { matchesGlob, relative } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Loads, models, generated cases, programs of others, and commands and servers started again and again: minutes, so only CI and `npm test -- --all` run them. */
const exhaustive = [
  'deploy/image.test.ts',
  'scripts/{bench-upstream,bootstrap}.test.ts',
  'scripts/build/clean-clone.test.ts',
  'scripts/docs/snippets.test.ts',
  'scripts/upgrade/*.test.ts',
  'sandbox/stripe/pages/browser.test.ts',
  'sdk/testing/{agents,command-line,completion,examples,fault-proof,packed,python,python-guard}.test.ts',
  'sdk/testing/typescript-{package,runtimes}.test.ts',
  'server/backup/{backup,point-in-time}.test.ts',
  'server/cli/*.test.ts',
  'server/crash.test.ts',
  'server/db/{listen,pooler,take-into-bucket}.test.ts',
  'server/failover.test.ts',
  'server/features/agent-payments/{killed,payment-limits,secrets-of-payments}.test.ts',
  'server/features/archive/*.test.ts',
  'server/features/auth/{hosted,logs}.test.ts',
  'server/features/billing/events/killed.test.ts',
  'server/features/billing/pay-as-you-go/bill-usage.test.ts',
  'server/features/billing/scenarios/{api-only,doubled,in-order,lost,taxed}.test.ts',
  'server/features/billing/taxes/taxed-amounts.test.ts',
  'server/features/billing/topups/{auto-topup-calendar,taxed-topup}.test.ts',
  'server/features/datasets/connectors/{run-connector,vendors}.test.ts',
  'server/features/oauth/client-document.test.ts',
  'server/features/mcp/{conformance,load,running-server}.test.ts',
  'server/features/playground/conformance.test.ts',
  'server/features/shop/{apply-under-load,named-shop,northwind-example}.test.ts',
  'server/features/site/openapi-clients.test.ts',
  'server/features/upstreams/mcp/{conformance,reference-servers}.test.ts',
  'server/fuzz/*.test.ts',
  'server/features/metering/{commit-model,faults,killed,operations-model}.test.ts',
  'server/features/upstreams/secrets/stored-secrets.test.ts',
  'server/features/operator/figures/{months,tax}.test.ts',
  'server/features/operator/products/stripe-away.test.ts',
  'server/features/upstreams/{stream-crash,tool-list-notes}.test.ts',
  'server/json-schema/{ajv,hostile}.test.ts',
  'server/{main,production,run-tasks}.test.ts',
  'server/metrics/slow-call.test.ts',
  'server/testing/killed-run.test.ts',
  'server/testing/proof/**/*.test.ts',
  'server/db/keep-embedded.test.ts',
  'server/mail/send-mail.test.ts',
  'server/ready.test.ts',
  'server/stop.test.ts',
  'server/tracing/tracing.test.ts',
]

/** Long, and short to read, so that vitest, which begins with the longest files, would begin them last. */
const slow = [
  'scripts/build/clean-clone.test.ts',
  'scripts/upgrade/*.test.ts',
  'server/backup/*.test.ts',
  'server/features/billing/scenarios/*.test.ts',
  'server/features/{archive,metering}/*.test.ts',
  'server/features/upstreams/secrets/*.test.ts',
  ...exhaustive,
]

/** The slow files first, in this order: no core waits for one at the end. */
class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const at = slow.findIndex((glob) => matchesGlob(relative(import.meta.dirname, moduleId), glob))
      return at === -1 ? slow.length : at
    }
    return (await super.sort(files)).toSorted((one, other) => place(one) - place(other))
  }
}

export default defineConfig({
  test: {
    exclude: [...configDefaults.exclude, ...(process.env.ALL_TESTS ? [] : exhaustive)],
    include: [
      'contract/**/*.test.ts',
      'deploy/**/*.test.ts',
      'sdk/testing/*.test.ts',
      'server/**/*.test.ts',
      'sandbox/**/*.test.ts',
      'scripts/**/*.test.ts',
      'web/**/*.test.ts',
    ],
    globalSetup: ['server/testing/global-setup.ts'],
    setupFiles: ['server/testing/property-seed.ts'],
    // CI prints the first line of a failure, which has to say what differed.
    chaiConfig: { truncateThreshold: 2_000 },
    // A limit, not a pace: what is waited for is looked for every 20 ms.
    expect: { poll: { interval: 20, timeout: 120_000 } },
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // Twice the cores of a small machine: many tests wait for a process that they start.
    maxWorkers: 4,
    // Composing the product takes seconds of a processor: once for each worker, not for each file. A file leaves nothing behind.
    isolate: false,
    sequence: { sequencer: SlowFirst },
  },
})
