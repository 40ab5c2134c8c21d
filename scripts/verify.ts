/** Every check that needs no service, one line each; stops at nothing, fails at the end if any failed. */
import { spawnSync } from 'node:child_process'

const node = process.execPath
const checks: [name: string, command: string, ...args: string[]][] = [
  ['format and lint', 'biome', 'check', '.'],
  ['types: contract', 'tsc', '-p', 'tsconfig.contract.json'],
  ['types: server', 'tsc', '-p', 'tsconfig.server.json'],
  ['types: web', 'tsc', '-p', 'tsconfig.web.json'],
  ['import rules', node, 'scripts/check-imports.ts'],
  ['dead code', 'knip'],
  ['file lengths', node, 'scripts/check-lengths.ts'],
  ['document paths', node, 'scripts/check-docs.ts'],
  ['spec coverage', node, 'scripts/check-coverage.ts'],
  ['.env.example', node, 'scripts/env-example.ts', '--check'],
  ['database types', node, 'scripts/db-types.ts', '--check'],
  ['web build', node, 'scripts/build-web.ts'],
  ['byte budgets', node, 'scripts/check-budgets.ts'],
]

let failures = 0
for (const [name, command, ...args] of checks) {
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
