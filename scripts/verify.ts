/**
 * Runs every check that needs no service, one output line each. Continues after a failure and fails at the end.
 * `--changed` runs only the quick checks, and lints only files that differ from the last commit, for a git hook.
 */
import { execFileSync, spawnSync } from 'node:child_process'

type Check = [name: string, command: string, ...args: string[]]

const node = process.execPath
const documents: Check[] = [
  ['file lengths', node, 'scripts/check-lengths.ts'],
  ['files of a room', node, 'scripts/check-rooms.ts'],
  ['network and transactions', node, 'scripts/check-transactions.ts'],
  ['document paths', node, 'scripts/check-docs.ts'],
  ['spec coverage', node, 'scripts/check-coverage.ts'],
  ['seeded faults', node, 'scripts/mutants.ts', '--check'],
]
const everything = (): Check[] => [
  ['format and lint', 'biome', 'check', '.'],
  ['types: contract', 'tsc', '-p', 'tsconfig.contract.json'],
  ['types: server', 'tsc', '-p', 'tsconfig.server.json'],
  ['types: web', 'tsc', '-p', 'tsconfig.web.json'],
  ['types: console', 'tsc', '-p', 'tsconfig.operator.json'],
  ['types: client library', 'tsc', '-p', 'sdk/typescript', '--noEmit'],
  ['types: command line', 'tsc', '-p', 'sdk/typescript/tsconfig.cli.json', '--noEmit'],
  ['client libraries', node, 'scripts/sdk.ts', '--check'],
  ['size of the client library', node, 'scripts/sdk-size.ts'],
  ['import rules', node, 'scripts/check-imports.ts'],
  ['dead code', 'knip'],
  ...documents,
  ['migrations', node, 'scripts/check-migrations.ts'],
  ['lockfile', node, 'scripts/check-lockfile.ts'],
  ['places of tools', node, 'scripts/check-tools.ts'],
  ['limits of routes', node, 'scripts/check-limits.ts'],
  ['.env.example', node, 'scripts/env-example.ts', '--check'],
  ['database types', node, 'scripts/db-types.ts', '--check'],
  ['web build', node, 'scripts/build-web.ts'],
  ['byte budgets', node, 'scripts/check-budgets.ts'],
]

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
for (const [name, command, ...args] of process.argv.includes('--changed') ? ofChangedFiles() : everything()) {
  const started = performance.now()
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  const good = status === 0
  console.log(`${good ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)`)
  if (good) continue
  failures += 1
  console.log(error?.message ?? `${stdout}\n${stderr}`.trim())
}
process.exitCode = failures > 0 ? 1 : 0
