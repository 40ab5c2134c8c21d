import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** Makes the data directory and the folders above it; throws a message for the operator when that cannot be. */
export function makeDataDir(dataDir: string): void {
  try {
    makeFolder(resolve(dataDir))
  } catch (error) {
    throw new Error(`FINMETER_DATA_DIR cannot be used as a folder: ${(error as Error).message}`, { cause: error })
  }
}

// Not mkdirSync's `recursive` from the top: below a folder that answers "no such file" to every mkdir, such as /proc, it
// tries again for ever, and the process hears no signal.
function makeFolder(path: string): void {
  const parent = dirname(path)
  if (!existsSync(parent)) makeFolder(parent)
  try {
    mkdirSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !statSync(path).isDirectory()) throw error
  }
}
