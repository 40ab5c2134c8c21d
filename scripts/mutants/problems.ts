import { existsSync, readFileSync } from 'node:fs'
import { type Fault, inBrowser, testOf } from './fault.ts'

/** Why the list does not fit the sources any more; empty if it does. */
export function problemsOf(faults: readonly Fault[]): string[] {
  const ids = new Set<string>()
  return faults.flatMap((fault) => {
    const problems: string[] = []
    if (ids.has(fault.id)) problems.push('another fault has this id')
    ids.add(fault.id)
    if (!existsSync(fault.file)) problems.push(`${fault.file} does not exist`)
    else {
      const count = readFileSync(fault.file, 'utf8').split(fault.old).length - 1
      if (count !== 1) problems.push(`its old text stands ${count} times in ${fault.file}, not once`)
    }
    if (fault.old === fault.new) problems.push('it changes nothing')
    if (fault.tests.length === 0) problems.push('it names no test')
    if (inBrowser(fault) && !fault.tests.every((test) => test.startsWith('e2e/')))
      problems.push('its tests belong to two runners')
    for (const { file, title } of fault.tests.map(testOf)) {
      if (!existsSync(file)) problems.push(`the test ${file} does not exist`)
      else if (title !== undefined && !readFileSync(file, 'utf8').replaceAll("\\'", "'").includes(title))
        problems.push(`${file} has no test "${title}"`)
    }
    return problems.map((problem) => `${fault.id}: ${problem}`)
  })
}
