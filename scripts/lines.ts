/**
 * Prints the lines of the repository by folder: product, tests (with what only they use) and documents. Generated files,
 * recorded data and locks are left out. `npm run lines -- <commit>` also prints what was added since that commit.
 */
import { execFileSync } from 'node:child_process'

const git = (...words: string[]) => execFileSync('git', words, { encoding: 'utf8', maxBuffer: 2 ** 28 }).split('\n')
const LEFT_OUT =
  /[._]gen\.(ts|py)$|\.snap$|(^|\/)(package-lock\.json|LICENSE[^/]*|fixtures\/.*)$|^datasets\/(?!connectors\/|.*\.(ts|md)$)/
const COUNTED = /\.(ts|tsx|mjs|js|sql|css|py|sh|md|mdx|ya?ml|json|html)$/
const TEST = /\.(test|spec)\.tsx?$|(^|\/)testing\/|^e2e\/|^sdk\/.*\/tests?\//

type Kind = 'product' | 'tests' | 'documents'
const kindOf = (file: string): Kind => (/\.mdx?$/.test(file) ? 'documents' : TEST.test(file) ? 'tests' : 'product')

/** `server/features/billing`, `web/ui` or `docs`: as deep as the table of features goes. */
function folderOf(file: string): string {
  const parts = file.split('/').slice(0, -1)
  return (
    parts.slice(0, parts[1] === 'features' ? 3 : parts[0] === 'server' || parts[0] === 'web' ? 2 : 1).join('/') || '.'
  )
}

/** Lines by folder and kind at a commit. */
function count(commit: string): Map<string, Record<Kind, number>> {
  const counts = new Map<string, Record<Kind, number>>()
  // Every text file, compared with nothing: git counts the lines.
  const empty = git('hash-object', '-t', 'tree', '/dev/null')[0]!
  for (const line of git('diff', '--numstat', '--no-renames', empty, commit)) {
    const [added, , file] = line.split('\t')
    if (!file || added === '-' || LEFT_OUT.test(file) || !COUNTED.test(file)) continue
    const folder = folderOf(file)
    const row = counts.get(folder) ?? { product: 0, tests: 0, documents: 0 }
    row[kindOf(file)] += Number(added)
    counts.set(folder, row)
  }
  return counts
}

const base = process.argv[2]
const now = count('HEAD')
const before = base ? count(base) : now
const total = { product: 0, tests: 0, documents: 0 }
const nothing = { ...total }
const cell = (to: number, from: number) =>
  `${to}${base && to !== from ? ` (${to > from ? '+' : ''}${to - from})` : ''}`.padStart(base ? 18 : 10)
const print = (name: string, to: Record<Kind, number>, from: Record<Kind, number>) =>
  console.log(
    name.padEnd(34) + (['product', 'tests', 'documents'] as const).map((kind) => cell(to[kind], from[kind])).join(''),
  )
const totalBefore = { ...total }
console.log(
  'folder'.padEnd(34) + ['product', 'tests', 'documents'].map((kind) => kind.padStart(base ? 18 : 10)).join(''),
)
for (const folder of [...new Set([...now.keys(), ...before.keys()])].sort()) {
  const [to, from] = [now.get(folder) ?? nothing, before.get(folder) ?? nothing]
  for (const kind of Object.keys(total) as Kind[]) {
    total[kind] += to[kind]
    totalBefore[kind] += from[kind]
  }
  print(folder, to, from)
}
print('all', total, totalBefore)
