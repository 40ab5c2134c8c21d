import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** Creates the data directory and its parents. Throws a message for the operator when that fails. */
export function makeDataDir(dataDir: string): void {
  try {
    makeFolder(resolve(dataDir))
  } catch (error) {
    throw new Error(`FINMETER_DATA_DIR cannot be used as a folder: ${(error as Error).message}`, { cause: error })
  }
}

// Not mkdirSync's `recursive`: below a folder that answers ENOENT to every mkdir, such as /proc, it retries forever,
// and the process handles no signal.
function makeFolder(path: string): void {
  const parent = dirname(path)
  if (!existsSync(parent)) makeFolder(parent)
  try {
    mkdirSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !statSync(path).isDirectory()) throw error
  }
}
