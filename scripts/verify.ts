/**
 * Runs every check that needs no service, as many at once as there are cores, one output line each. Continues after a failure
 * and fails at the end.
 * `--changed` runs only the quick checks, and lints only files that differ from the last commit, for a git hook.
 */
import { execFile, execFileSync } from 'node:child_process'
import { availableParallelism } from 'node:os'

type Check = [name: string, command: string, ...args: string[]]

const node = process.execPath
/** In one thread: the others share nothing, and twice the processor time goes to what each of them finds out again. */
const types = (of: string, ...args: string[]): Check => [`types: ${of}`, 'tsc', '--singleThreaded', ...args]
const documents: Check[] = [
  ['file lengths', node, 'scripts/check-lengths.ts'],
  ['files of a room', node, 'scripts/check-rooms.ts'],
  ['network and transactions', node, 'scripts/check-transactions.ts'],
  ['document paths', node, 'scripts/check-docs.ts'],
  ['spec coverage', node, 'scripts/check-coverage.ts'],
  ['seeded faults', node, 'scripts/mutants.ts', '--check'],
]
/** The longest first: no core waits for one at the end. */
const everything: Check[] = [
  types('server', '-p', 'tsconfig.server.json'),
  ['web build', node, 'scripts/build-web.ts'],
  types('console', '-p', 'tsconfig.operator.json'),
  types('web', '-p', 'tsconfig.web.json'),
  ['dead code', 'knip'],
  ['database types', node, 'scripts/db-types.ts', '--check'],
  ['lockfile', node, 'scripts/check-lockfile.ts'],
  ['limits of routes', node, 'scripts/check-limits.ts'],
  ['format and lint', 'biome', 'check', '.'],
  types('contract', '-p', 'tsconfig.contract.json'),
  types('client library', '-p', 'sdk/typescript', '--noEmit'),
  types('command line', '-p', 'sdk/typescript/tsconfig.cli.json', '--noEmit'),
  ['client libraries', node, 'scripts/sdk.ts', '--check'],
  ['size of the client library', node, 'scripts/sdk-size.ts'],
  ['import rules', node, 'scripts/check-imports.ts'],
  ...documents,
  ['migrations', node, 'scripts/check-migrations.ts'],
  ['places of tools', node, 'scripts/check-tools.ts'],
  ['.env.example', node, 'scripts/env-example.ts', '--check'],
]
/** Reads what the web build wrote. */
const ofBuild: Check[] = [['byte budgets', node, 'scripts/check-budgets.ts']]

function ofChangedFiles(): Check[] {
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).split('\n').filter(Boolean)
  const files = [
    ...git('diff', '--name-only', '--diff-filter=d', 'HEAD'),
    ...git('ls-files', '-o', '--exclude-standard'),
  ]
  // Without file arguments, Biome would check every file.
  const lint: Check[] =
    files.length > 0 ? [['format and lint', 'biome', 'check', '--no-errors-on-unmatched', ...files]] : []
  return [...lint, ...documents]
}

let failures = 0

async function run([name, command, ...args]: Check): Promise<void> {
  const started = performance.now()
  const failure = await new Promise<string | undefined>((done) => {
    execFile(command, args, { maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) =>
      done(error ? `${stdout}\n${stderr}`.trim() || error.message : undefined),
    )
  })
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  console.log(`${failure === undefined ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)`)
  if (failure === undefined) return
  failures += 1
  console.log(failure)
}

async function runAll(checks: Check[]): Promise<void> {
  const waiting = checks.values()
  const worker = async () => {
    for (const check of waiting) await run(check)
  }
  await Promise.all(Array.from({ length: availableParallelism() }, worker))
}

if (process.argv.includes('--changed')) await runAll(ofChangedFiles())
else {
  await runAll(everything)
  await runAll(ofBuild)
}
process.exitCode = failures > 0 ? 1 : 0
