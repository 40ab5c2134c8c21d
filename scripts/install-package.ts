import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Installs the locked packages of a folder that is a package of its own, such as `bench` or one in `packages/`, unless they are
 * there. It happens aside, and the result is moved into place: an installation that was killed never passes for a whole one,
 * and two at once do no harm.
 */
export function installPackage(folder: string): void {
  const lock = createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex')
  if (isInstalled(folder, lock)) return
  console.error(`Installing the packages of ${folder} ...`)
  const aside = mkdtempSync(join(folder, '.installing-'))
  try {
    for (const file of ['package.json', 'package-lock.json']) cpSync(join(folder, file), join(aside, file))
    execFileSync('npm', ['ci', '--include=dev', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: aside,
      stdio: ['ignore', 2, 2],
      shell: process.platform === 'win32',
    })
    writeFileSync(join(aside, 'node_modules/.finmeter-lock'), lock)
    if (isInstalled(folder, lock)) return
    const packages = join(folder, 'node_modules')
    if (existsSync(packages)) renameSync(packages, join(aside, 'replaced'))
    renameSync(join(aside, 'node_modules'), packages)
  } finally {
    rmSync(aside, { recursive: true, force: true })
  }
}

function isInstalled(folder: string, lock: string): boolean {
  const stamp = join(folder, 'node_modules/.finmeter-lock')
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === lock
}
