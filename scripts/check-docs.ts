/** Every path and every npm command that the documents name must exist, and each decision must be in their index. */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const scripts = Object.keys(
  (JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }).scripts,
)
const documents = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.md'], { encoding: 'utf8' })
  .split('\n')
  .filter(Boolean)
const topFolders =
  /^(contract|deploy|server|sandbox|web|e2e|bench|scripts|docs|sdk|data|datasets|\.ci|\.github|\.githooks)\//
const problems: string[] = []

for (const document of documents) {
  const text = readFileSync(document, 'utf8')
  for (const [, path] of text.matchAll(/`([\w./@$-]+\/[\w./@$-]*)`/g)) {
    if (path && topFolders.test(path) && !existsSync(path))
      problems.push(`${document} names ${path}, which does not exist`)
  }
  for (const [, target] of text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)) {
    if (target && !/^[a-z]+:/.test(target) && !target.startsWith('/') && !existsSync(join(dirname(document), target)))
      problems.push(`${document} links to ${target}, which does not exist`)
  }
  for (const [, name] of text.matchAll(/npm run ([\w:-]+)/g)) {
    if (name && !scripts.includes(name))
      problems.push(`${document} names npm run ${name}, which is not in package.json`)
  }
}
const index = readFileSync('docs/decisions/README.md', 'utf8')
for (const page of readdirSync('docs/decisions')) {
  if (page !== 'README.md' && index.split(`](${page})`).length !== 2)
    problems.push(`docs/decisions/README.md must list ${page} once`)
}
for (const problem of problems) console.error(problem)
console.log(`${documents.length} documents checked`)
process.exitCode = problems.length > 0 ? 1 : 0
