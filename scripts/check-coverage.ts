/**
 * docs/spec-coverage.md names, for each statement of the specification, the tests that prove it; docs/security.md, for each
 * promise. Every named test must exist and must not be skipped. Every row of their tables must name a test or say `open`;
 * open rows are counted and printed.
 */
import { existsSync, readFileSync } from 'node:fs'

const documents = ['docs/spec-coverage.md', 'docs/security.md']
const problems: string[] = []
let proven = 0
let open = 0

const sources = new Map<string, string>()
const source = (file: string): string => {
  if (!sources.has(file)) sources.set(file, readFileSync(file, 'utf8').replaceAll("\\'", "'"))
  return sources.get(file)!
}

/** The title is in the file as a whole string, as in `test('title'`, and not in a skipped test. */
function hasTest(file: string, title: string): boolean {
  const text = source(file)
  return ["'", '"', '`'].some((quote) => {
    const at = text.indexOf(quote + title + quote)
    return at !== -1 && !/\.(skip|todo|fixme)\([^\n]*$/.test(text.slice(Math.max(0, at - 80), at))
  })
}

for (const document of documents) {
  const before = proven
  let ofTests = false
  for (const [index, line] of readFileSync(document, 'utf8').split('\n').entries()) {
    const cells = line.startsWith('| ') ? line.slice(1, -1).split(/(?<!\\)\|/) : []
    // A table of tests has them in its last column.
    if (cells.length === 0) ofTests = false
    else if (cells.at(-1)!.trim() === 'Test') ofTests = true
    else if (ofTests && !/^\s*-+\s*$/.test(cells[0]!)) checkRow(`${document}:${index + 1}`, cells.at(-1)!)
  }
  if (proven === before) problems.push(`${document} has no row with a test`)
}

function checkRow(place: string, cell: string): void {
  const proofs = cell.trim().replaceAll('\\|', '|').split('<br>')
  if (proofs[0] === 'open') {
    open += 1
    return
  }
  proven += 1
  for (const proof of proofs) {
    const [, file, title] = /^`([^`]+)`: (.+)$/.exec(proof.trim()) ?? []
    if (!file || !title) problems.push(`${place} names no test: ${proof || 'the cell is empty'}`)
    else if (!existsSync(file)) problems.push(`${place} names ${file}, which does not exist`)
    else if (!hasTest(file, title)) problems.push(`${place}: ${file} has no test "${title}"`)
  }
}

for (const problem of problems) console.error(problem)
console.log(`${proven + open} statements, ${proven} with tests, ${open} open`)
process.exitCode = problems.length > 0 ? 1 : 0
