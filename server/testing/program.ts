import { join } from 'node:path'

/**
 * The file of a program of server/cli, or of the server (main), that a test starts: that of the bundle in TESTED_PROGRAMS, as the
 * whole set does, else the source.
 */
export function programFile(name: string): string {
  const bundle = process.env.TESTED_PROGRAMS
  if (bundle) return join(bundle, `${name}.js`)
  return join(import.meta.dirname, name === 'main' ? '../main.ts' : `../cli/${name}.ts`)
}
