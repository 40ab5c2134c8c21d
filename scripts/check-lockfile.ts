/** Checks that the lockfile has everything that package.json requires, on every platform. Needs no network. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { lockfileProblems } from './lockfile.ts'

const problems = lockfileProblems(
  JSON.parse(readFileSync('package.json', 'utf8')),
  JSON.parse(readFileSync('package-lock.json', 'utf8')),
)
// Whether a version satisfies a range is left to npm.
const npm = spawnSync('npm', ['ci', '--dry-run', '--offline', '--ignore-scripts', '--loglevel=error'], {
  encoding: 'utf8',
  shell: process.platform === 'win32',
})
if (npm.status !== 0) problems.push(npm.error?.message ?? npm.stderr.split('\nnpm error Clean install')[0]!)
for (const problem of problems) console.error(problem)
console.log('the lockfile was compared with package.json')
process.exitCode = problems.length > 0 ? 1 : 0
