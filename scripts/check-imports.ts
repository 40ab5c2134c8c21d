/**
 * Checks the import rules with dependency-cruiser, and that package.json says which packages tests alone import. If its parser does not support the language, it silently reads
 * nothing. So a run fails if it read less than 90 % of the tracked sources, or if the forbidden fixture passes.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { featureCircles } from './feature-circles.ts'
import { type ImportingModule, packageSetProblems } from './package-sets.ts'

interface Report {
  modules: ImportingModule[]
  summary: { violations: { from: string; to: string; rule: { name: string; severity: string } }[] }
}

const folders = ['contract', 'datasets/connectors', 'server', 'sandbox', 'web']
/** Imported by commands, or what they import. */
const others = ['scripts', 'sdk/typescript/src', 'vite.config.ts', 'vite.operator.config.ts']
const fixture = 'sandbox/forbidden-import.fixture.ts'

function cruise(...targets: string[]): Report {
  const run = spawnSync('depcruise', [...targets, '--config', '.dependency-cruiser.cjs', '--output-type', 'json'], {
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
  })
  if (!run.stdout) throw new Error(run.stderr)
  return JSON.parse(run.stdout) as Report
}

const report = cruise(...folders, ...others)
const tracked = execFileSync(
  'git',
  [
    'ls-files',
    '-co',
    '--exclude-standard',
    ...folders.flatMap((folder) => [`${folder}/**/*.ts`, `${folder}/**/*.tsx`]),
  ],
  { encoding: 'utf8' },
)
  .split('\n')
  .filter(Boolean)
const sources = new Set(tracked)
const read = report.modules.filter((module) => sources.has(module.source))
const withImports = read.filter((module) => module.dependencies.length > 0)
const problems = report.summary.violations
  .filter(({ rule }) => rule.severity === 'error')
  .map(({ from, to, rule }) => `${rule.name}: ${from} -> ${to}`)
problems.push(...featureCircles(report.modules))
problems.push(...packageSetProblems(JSON.parse(readFileSync('package.json', 'utf8')), report.modules))
if (read.length < tracked.length * 0.9) problems.push(`only ${read.length} of ${tracked.length} files were read`)
if (withImports.length < tracked.length * 0.5)
  problems.push(`only ${withImports.length} of ${tracked.length} files show any import: the parser does not work`)

writeFileSync(fixture, "import { loadConfig } from '#server/config/config.ts'\nexport const forbidden = loadConfig\n")
try {
  const caught = cruise('sandbox').summary.violations.some(({ from }) => from === fixture)
  if (!caught) problems.push('a forbidden import in a fixture was not noticed')
} finally {
  rmSync(fixture)
}
for (const problem of problems) console.error(problem)
console.log(`${read.length} of ${tracked.length} files read`)
process.exitCode = problems.length > 0 ? 1 : 0
