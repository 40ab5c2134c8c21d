/** Checks that each lockfile has everything that the package.json beside it requires, on every platform. Needs no network. */
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { lockfileProblems } from './lockfile.ts'

const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*package.json'], { encoding: 'utf8' })
// The client library has none: it requires no package.
const folders = listed
  .split('\n')
  .filter((file) => file && file !== 'sdk/typescript/package.json')
  .map(dirname)
let failed = false
for (const folder of folders) {
  const read = (file: string) => JSON.parse(readFileSync(join(folder, file), 'utf8'))
  const problems = lockfileProblems(read('package.json'), read('package-lock.json'))
  // Whether a version satisfies a range is left to npm.
  const npm = spawnSync('npm', ['ci', '--dry-run', '--offline', '--ignore-scripts', '--loglevel=error'], {
    cwd: folder,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  })
  if (npm.status !== 0) problems.push(npm.error?.message ?? npm.stderr.split('\nnpm error Clean install')[0]!)
  for (const problem of problems) console.error(`${folder}: ${problem}`)
  failed ||= problems.length > 0
}
console.log(`lockfiles were compared with package.json in ${folders.join(', ')}`)
process.exitCode = failed ? 1 : 0
