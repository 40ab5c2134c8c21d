/**
 * Runs every test: unit and integration (vitest), then the browser (Playwright), and closes with `N passed, N failed`.
 * `npm test -- --only=vitest|browser` runs one part; further words go to that runner. `--all` adds the browser tests of
 * every state of every screen.
 */
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

interface Count {
  passed: number
  failed: number
}

/** Repeated on another release of PostgreSQL, with Redis: what rests on their locks, partitions and notices. */
const onServices = ['db', 'features/metering', 'features/credits', 'features/keys', 'features/usage'].map(
  (folder) => `server/${folder}/`,
)

const words = process.argv.slice(2)
const only = words.find((word) => word.startsWith('--only='))?.slice('--only='.length)
const all = words.includes('--all')
const rest = words.filter((word) => !word.startsWith('--only=') && word !== '--all')
const dir = await mkdtemp(join(tmpdir(), 'finmeter-report-'))
const counts: Count[] = []
try {
  // Pages and documentation are tested as they are built.
  if ((await run(process.execPath, ['scripts/build-web.ts'], {})) !== 0) process.exit(1)
  if (only !== 'browser') counts.push(await vitest('vitest', {}))
  const service = process.env.SERVICE_DATABASE_URL
  if (!only && service) counts.push(await vitest('vitest-service', { TEST_DATABASE_URL: service }))
  if (only !== 'vitest') counts.push(await browser())
} finally {
  await rm(dir, { recursive: true, force: true })
}
const passed = counts.reduce((sum, count) => sum + count.passed, 0)
const failed = counts.reduce((sum, count) => sum + count.failed, 0)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 || passed === 0 ? 1 : 0

async function vitest(name: string, env: NodeJS.ProcessEnv): Promise<Count> {
  const file = join(dir, `${name}.json`)
  const filter = name === 'vitest-service' ? onServices : rest
  const code = await run(
    'vitest',
    ['run', ...filter, '--reporter=default', '--reporter=json', `--outputFile.json=${file}`],
    env,
  )
  const report = JSON.parse(await readFile(file, 'utf8').catch(() => '{}')) as {
    numPassedTests?: number
    numFailedTests?: number
  }
  return withExit({ passed: report.numPassedTests ?? 0, failed: report.numFailedTests ?? 0 }, code)
}

async function browser(): Promise<Count> {
  const file = join(dir, 'browser.json')
  const code = await run('playwright', ['test', ...rest, '--reporter=line,json'], {
    PLAYWRIGHT_JSON_OUTPUT_NAME: file,
    ...(all && { ALL_SCREENS: 'yes' }),
  })
  const report = JSON.parse(await readFile(file, 'utf8').catch(() => '{}')) as {
    stats?: { expected: number; unexpected: number; flaky: number }
  }
  return withExit(
    { passed: report.stats?.expected ?? 0, failed: (report.stats?.unexpected ?? 0) + (report.stats?.flaky ?? 0) },
    code,
  )
}

/** A runner that fails outside any test (a crash, no test found) still counts as a failure. */
function withExit(count: Count, code: number): Count {
  return code !== 0 && count.failed === 0 ? { ...count, failed: 1 } : count
}

function run(command: string, args: string[], env: NodeJS.ProcessEnv): Promise<number> {
  return new Promise((done) => {
    const child = spawn(command, args, { stdio: 'inherit', env: { ...process.env, ...env } })
    child.on('exit', (code) => done(code ?? 1))
    child.on('error', () => done(1))
  })
}
