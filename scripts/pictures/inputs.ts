import { createHash } from 'node:crypto'
import { globSync, readFileSync, writeFileSync } from 'node:fs'

const file = 'docs/images/inputs.sha256'

/** A hash of what the pictures show: the sources of the screens. */
function hash(): string {
  const all = createHash('sha256')
  for (const path of globSync('web/{features,layout,lib,routes,styles,ui}/**/*.{css,ts,tsx}').sort())
    if (!path.endsWith('.test.ts')) all.update(`${path}\0`).update(readFileSync(path))
  return all.digest('hex')
}

/** Whether the screens have changed since the pictures were taken. */
export const picturesAreOld = (): boolean => readFileSync(file, 'utf8').trim() !== hash()

/** Notes what the pictures were taken of. */
export const picturesAreNew = (): void => writeFileSync(file, `${hash()}\n`)
