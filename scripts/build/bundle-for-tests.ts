import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { bundlePrograms } from './bundle.ts'

const root = join(import.meta.dirname, '../..')

/**
 * Bundles server and commands for the tests that start them: a start from the sources spends a second of processor on its
 * 2,500 modules, and the tests start several hundred. Returns the folder of the programs, which read their files, by links,
 * from the repository.
 */
export async function bundleForTests(): Promise<string> {
  const dir = join(root, 'node_modules/.cache/tested')
  rmSync(dir, { recursive: true, force: true })
  mkdirSync(dir, { recursive: true })
  for (const path of ['data', 'datasets', 'dist', 'package.json', 'packages', 'sandbox', 'server', 'web'])
    symlinkSync(join(root, path), join(dir, path))
  await bundlePrograms(join(dir, 'code'), { npmCommands: true })
  return join(dir, 'code')
}
