import { spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { inBrowser, testOf } from './fault.ts'

export interface TestRun {
  /** The tests that failed. */
  failures: string[]
  passed: number
  /** How the runner ended without a failed test: then nothing is known about the fault. */
  broken: string | null
}

/** Of one fault. All tests together, without a fault, may take any time. */
const MOST_MS = 8 * 60_000
const TOO_LONG = `did not end in ${MOST_MS / 60_000} minutes`

/** Runs the named tests in `dir`. They stop at the first failure, unless `all`. */
export async function runTests(dir: string, tests: string[], { all = false } = {}): Promise<TestRun> {
  return inBrowser({ tests }) ? playwright(dir, tests, all) : vitest(dir, tests, all)
}

async function vitest(dir: string, tests: string[], all: boolean): Promise<TestRun> {
  const report = join(dir, 'mutants-report.json')
  const args = [
    ...filesOf(tests),
    ...(all ? [] : ['--bail=1', '--maxWorkers=1']),
    ...titleOption('--testNamePattern', tests),
  ]
  const env = { FINMETER_TEST_REPORT: report }
  const ended = await run(dir, 'vitest', ['run', ...args, '--reporter=./scripts/failure-reporter.ts'], env, all)
  const { failures = [], passed = 0 } = read(report) as Partial<TestRun>
  return outcome(failures, passed, ended)
}

async function playwright(dir: string, tests: string[], all: boolean): Promise<TestRun> {
  const built = await run(dir, process.execPath, ['scripts/build-web.ts'], {}, all)
  if (built !== null) return outcome([], 0, built)
  const report = join(dir, 'mutants-report.json')
  const args = [...filesOf(tests), ...(all ? [] : ['-x', '--workers=1']), ...titleOption('--grep', tests)]
  const config = '--config=scripts/mutants/playwright.config.ts'
  const env = { PLAYWRIGHT_JSON_OUTPUT_NAME: report }
  const ended = await run(dir, 'playwright', ['test', config, ...args, '--reporter=json'], env, all)
  const { suites = [] } = read(report) as { suites?: Suite[] }
  const specs = suites.flatMap(specsOf).filter(({ tests: runs }) => runs.some(({ status }) => status !== 'skipped'))
  const failures = specs.filter(({ ok }) => !ok).map(({ file, title }) => `e2e/${file} > ${title}`)
  return outcome(failures, specs.length - failures.length, ended)
}

function outcome(failures: string[], passed: number, ended: string | null): TestRun {
  // A test that never ends has noticed the fault.
  if (ended === TOO_LONG) return { failures: [TOO_LONG], passed, broken: null }
  const broken = failures.length > 0 ? null : (ended ?? (passed === 0 ? 'no test ran' : null))
  return { failures, passed, broken }
}

interface Suite {
  suites?: Suite[]
  specs: { title: string; file: string; ok: boolean; tests: { status: string }[] }[]
}
const specsOf = (suite: Suite): Suite['specs'] => [...suite.specs, ...(suite.suites ?? []).flatMap(specsOf)]

const filesOf = (tests: string[]): string[] => [...new Set(tests.map((test) => testOf(test).file))]

/** Only the titles, if every test names one. */
function titleOption(option: string, tests: string[]): string[] {
  const titles = tests.map((test) => testOf(test).title)
  if (titles.some((title) => title === undefined)) return []
  return [`${option}=${titles.map((title) => title!.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|')}`]
}

function read(file: string): object {
  if (!existsSync(file)) return {}
  const text = readFileSync(file, 'utf8')
  rmSync(file)
  return JSON.parse(text) as object
}

const running = new Set<number>()
const endAll = () => {
  for (const pid of running) process.kill(-pid, 'SIGKILL')
}
process.on('exit', endAll)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130))

/** Null, or how the command failed. */
function run(
  dir: string,
  command: string,
  args: string[],
  env: NodeJS.ProcessEnv,
  endless: boolean,
): Promise<string | null> {
  return new Promise((done) => {
    const child = spawn(command, args, {
      cwd: dir,
      env: { ...process.env, ALL_TESTS: 'yes', CI: '', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    const { pid } = child
    if (pid) running.add(pid)
    let output = ''
    let late = false
    const keep = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-2000)
    }
    child.stdout.on('data', keep)
    child.stderr.on('data', keep)
    const timer = setTimeout(() => {
      if (endless) return
      late = true
      // The whole group: a runner's servers and browsers too.
      if (pid) process.kill(-pid, 'SIGKILL')
    }, MOST_MS)
    child.on('error', (error) => done(error.message))
    child.on('close', (code) => {
      clearTimeout(timer)
      if (pid) running.delete(pid)
      done(late ? TOO_LONG : code === 0 ? null : `${command} ended with ${code}: ${output.trim()}`)
    })
  })
}
