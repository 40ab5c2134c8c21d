import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Fault } from './fault.ts'

/** A copy of the working tree, with the same packages, in which faults are tried. */
export interface Checkout {
  dir: string
  /** Runs `work` while the fault is in place. */
  withFault: <T>(fault: Fault, work: () => Promise<T>) => Promise<T>
}

/** Copies what git knows or would add, so that uncommitted changes are tried too. */
export function makeCheckout(root: string): Checkout {
  const dir = mkdtempSync(join(tmpdir(), 'finmeter-mutants-'))
  const listed = execFileSync('git', ['ls-files', '-z', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
  for (const file of listed.split('\0').filter((one) => one !== '' && existsSync(join(root, one)))) {
    mkdirSync(dirname(join(dir, file)), { recursive: true })
    cpSync(join(root, file), join(dir, file))
  }
  // The tests read the built pages.
  if (existsSync(join(root, 'dist'))) cpSync(join(root, 'dist'), join(dir, 'dist'), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(dir, 'node_modules'))
  const remove = () => rmSync(dir, { recursive: true, force: true })
  // Also after Ctrl-C.
  process.on('exit', remove)
  return {
    dir,
    async withFault(fault, work) {
      const file = join(dir, fault.file)
      const text = readFileSync(file, 'utf8')
      // A function, because `$` in a new text is no pattern.
      writeFileSync(
        file,
        text.replace(fault.old, () => fault.new),
      )
      try {
        return await work()
      } finally {
        writeFileSync(file, text)
      }
    },
  }
}
