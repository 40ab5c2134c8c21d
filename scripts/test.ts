/**
 * Runs the tests: unit and integration (vitest), then the browser (Playwright), and ends with `N passed, N failed`.
 * Without arguments it runs the quick set. `--all` adds what vitest.config.ts and playwright.config.ts list as exhaustive;
 * `--nightly` adds more seeds and repeats of what `--all` proves.
 * `--only=vitest|browser|fuzz|citus` runs one part (fuzz: the tests of server/fuzz at full length; citus: all that meters,
 * charges and bills, on the cluster at CITUS_URL). `--shard=1/4` runs a quarter of each part, repeats included.
 * `--seed=N` makes the property tests draw other examples; `--seed=random` draws the seed and prints it. Other arguments
 * go to the runner.
 */
import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { rmSync } from 'node:fs'
import { chmod, mkdtemp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { roomyFolder } from '../server/testing/roomy-folder.ts'
import { describeFailure, type TestOfBrowser } from './browser-failure.ts'
import { bundleForTests } from './build/bundle-for-tests.ts'
import type { RunReport } from './failure-reporter.ts'

/**
 * Repeated on another release of PostgreSQL, with Redis: tests that depend on their locks, partitions and
 * notifications.
 */
const onServices = [
  ...['db', 'features/metering', 'features/credits'].map((folder) => `server/${folder}/`),
  // Starts PostgreSQL itself.
  '--exclude=server/db/keep-embedded.test.ts',
]

/** Repeated with three buckets by `--all`: what chooses a bucket or, nightly, everything that meters, charges and bills. */
const onBuckets = (everything: boolean): string[] =>
  [
    'features/metering',
    'features/credits',
    ...(everything ? ['features/usage', 'features/billing', 'features/operator/figures'] : []),
  ].map((folder) => `server/${folder}/`)

/** Twice what a run of the whole set has in temporary files and memory at once. */
const ROOM_BYTES = 12 * 2 ** 30

// Commands and servers that tests start again and again load what an earlier start has compiled.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../node_modules/.cache/compiled')

const words = process.argv.slice(2)
const only = words.find((word) => word.startsWith('--only='))?.slice('--only='.length)
const nightly = words.includes('--nightly')
const shard = words.filter((word) => word.startsWith('--shard='))
const seed =
  words.find((word) => word.startsWith('--seed='))?.slice('--seed='.length) ?? (nightly ? 'random' : undefined)
if (seed) process.env.PROPERTY_SEED = seed === 'random' ? String(randomInt(2 ** 31)) : seed
if (!/^-?\d*$/.test(process.env.PROPERTY_SEED ?? '')) throw new Error('A seed is a whole number, or random.')
const rest = words.filter((word) => !/^--(only=|seed=|shard=|all$|nightly$)/.test(word))
if (nightly) process.env.NIGHTLY = '1'
if (nightly || only === 'fuzz') process.env.FUZZ_RUNS ??= '100000'
if (only === 'fuzz') rest.push('server/fuzz')
if (only === 'citus') {
  if (!process.env.CITUS_URL) throw new Error('Set CITUS_URL to the coordinator of a Citus cluster with two workers.')
  process.env.CITUS_TESTS = 'yes'
  rest.push('server/citus', ...onBuckets(true))
  // These look at names of partitions and at query plans, which are Citus' own.
  rest.push('--exclude=server/features/metering/partitions.test.ts', '--exclude=server/features/usage/plans.test.ts')
}
// Tests named on the command line always run, even exhaustive ones.
const all = nightly || words.includes('--all') || rest.length > 0
const dir = await mkdtemp(join(await roomyFolder(ROOM_BYTES), 'finmeter-run-'))
// Some tests run PostgreSQL as another user.
await chmod(dir, 0o711)
// Servers of tests flush each commit: on a disk, tests wait for it.
process.env.TMPDIR = dir
process.once('exit', () => rmSync(dir, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
const reports: RunReport[] = []
// Tests use the built pages and documentation.
if ((await run(process.execPath, ['scripts/build-web.ts'], {})) !== 0) process.exit(1)
if (all && rest.length === 0) process.env.TESTED_PROGRAMS = await bundleForTests()
if (only !== 'browser') reports.push(await vitest('vitest', {}))
const service = process.env.SERVICE_DATABASE_URL
if (!only && service) reports.push(await vitest('vitest-service', { TEST_DATABASE_URL: service }, onServices))
if (!only && all && rest.length === 0)
  reports.push(await vitest('vitest-buckets', { METER_BUCKETS: '3' }, onBuckets(nightly)))
if (!only || only === 'browser') reports.push(await browser())
const failures = reports.flatMap((report) => report.failures)
if (seed) console.log(`Property tests drew by --seed=${process.env.PROPERTY_SEED}`)
for (const failure of failures) console.log(`Failed: ${failure}`)
const passed = reports.reduce((sum, report) => sum + report.passed, 0)
const skipped = reports.reduce((sum, report) => sum + report.skipped, 0)
if (skipped > 0) console.log(`${skipped} skipped, such as those that need a key of Stripe's test mode`)
console.log(`${passed} passed, ${failures.length} failed`)
process.exitCode = failures.length > 0 || passed === 0 ? 1 : 0

async function vitest(name: string, env: NodeJS.ProcessEnv, filter = rest): Promise<RunReport> {
  const file = join(dir, `${name}.json`)
  const code = await run(
    'vitest',
    ['run', ...filter, ...shard, '--reporter=default', '--reporter=./scripts/failure-reporter.ts'],
    {
      ...env,
      ...(all && { ALL_TESTS: 'yes' }),
      FINMETER_TEST_REPORT: file,
    },
  )
  const nothing: RunReport = { passed: 0, skipped: 0, failures: [] }
  return withExit(name, { ...nothing, ...(await read(file)) }, code)
}

async function browser(): Promise<RunReport> {
  const file = join(dir, 'browser.json')
  const code = await run('playwright', ['test', ...rest, ...shard, '--reporter=line,json'], {
    PLAYWRIGHT_JSON_OUTPUT_NAME: file,
    ...(all && { ALL_TESTS: 'yes' }),
  })
  const report: RunReport = { passed: 0, skipped: 0, failures: [] }
  const { suites = [], errors = [] } = (await read(file)) as { suites?: Suite[]; errors?: { message?: string }[] }
  for (const error of errors) report.failures.push(`outside every test: ${error.message ?? 'no message'}`)
  for (const { file, title, ok, tests } of suites.flatMap(specsOf)) {
    const name = `e2e/${file} > ${title}`
    if (!ok) report.failures.push(`${name}: ${await describeFailure(tests)}`)
    else if (tests.some((test) => test.status !== 'skipped')) report.passed += 1
    else report.skipped += 1
  }
  return withExit('playwright', report, code)
}

interface Suite {
  suites?: Suite[]
  specs: { title: string; file: string; ok: boolean; tests: TestOfBrowser[] }[]
}

function specsOf(suite: Suite): Suite['specs'] {
  return [...suite.specs, ...(suite.suites ?? []).flatMap(specsOf)]
}

async function read(file: string): Promise<object> {
  return JSON.parse(await readFile(file, 'utf8').catch(() => '{}')) as object
}

/** A runner that fails without a failed test (a crash, no test found) counts as a failure too. */
function withExit(runner: string, report: RunReport, code: number): RunReport {
  if (code === 0 || report.failures.length > 0) return report
  return { ...report, failures: [`${runner} ended with code ${code}`] }
}

function run(command: string, args: string[], env: NodeJS.ProcessEnv): Promise<number> {
  return new Promise((done) => {
    const child = spawn(command, args, { stdio: 'inherit', env: { ...process.env, ...env } })
    child.on('exit', (code) => done(code ?? 1))
    child.on('error', () => done(1))
  })
}
