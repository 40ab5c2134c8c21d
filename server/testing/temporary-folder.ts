import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterTests } from './close-after-tests.ts'

/** A new folder that is removed as `afterTests` does. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'finmeter-test-'))
  afterTests(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
