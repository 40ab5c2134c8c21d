/** A package's entry in a lockfile of version 3, as far as it is checked here. */
interface LockedPackage {
  version?: string
  os?: string[]
  libc?: string[]
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

export interface Lockfile {
  version?: string
  packages: Record<string, LockedPackage>
}

interface Manifest {
  version: string
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
}

/**
 * Where a lockfile differs from `package.json` or lacks a package. Optional binaries of other platforms count too: `npm
 * ci` of npm 11 refuses a lockfile without them, and npm 10 does not report them as missing.
 */
export function lockfileProblems(manifest: Manifest, { version, packages }: Lockfile): string[] {
  const problems: string[] = []
  const root = packages[''] ?? {}
  for (const locked of [version, root.version]) {
    if (locked !== manifest.version)
      problems.push(`package-lock.json has version ${locked}, package.json has ${manifest.version}`)
  }
  for (const kind of ['dependencies', 'devDependencies'] as const) {
    const [wanted, locked] = [manifest[kind] ?? {}, root[kind] ?? {}]
    for (const name of new Set([...Object.keys(wanted), ...Object.keys(locked)])) {
      if (wanted[name] !== locked[name])
        problems.push(`${name}: package.json has ${wanted[name] ?? 'none'}, the lockfile ${locked[name] ?? 'none'}`)
    }
  }
  for (const [path, entry] of Object.entries(packages)) {
    for (const name of Object.keys({
      ...entry.dependencies,
      ...entry.devDependencies,
      ...entry.optionalDependencies,
    })) {
      if (!isFound(packages, path, name)) problems.push(`${path || 'package.json'} needs ${name}, which has no entry`)
    }
    if (entry.os?.includes('linux') && /-(gnu|musl)$/.test(path) && !entry.libc)
      problems.push(`${path} has no libc: npm 10 wrote this lockfile; write it with npm 11`)
  }
  return problems
}

/** Looks for a package as Node does: in the folder of the package that needs it, then in each folder above. */
function isFound(packages: Lockfile['packages'], from: string, name: string): boolean {
  let folder = from
  while (true) {
    if (packages[`${folder ? `${folder}/` : ''}node_modules/${name}`]) return true
    if (!folder) return false
    folder = folder.slice(0, folder.lastIndexOf('node_modules/')).replace(/\/$/, '')
  }
}
