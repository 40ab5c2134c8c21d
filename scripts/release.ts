/**
 * `npm run release`: checks that the version in package.json can be released, records its migrations (a file to
 * commit), runs verify and every test, and creates the annotated tag from CHANGELOG.md. It never pushes. `--dry-run`
 * prints the tag's text and creates nothing.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { serverInfo } from '#server/features/mcp/server-identity.ts'
import { serverJson } from '#server/features/mcp/server-json.ts'
import { sectionsOf, tagText } from './release/changelog.ts'
import { releaseProblems } from './release/problems.ts'

const dryRun = process.argv.includes('--dry-run')
const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).split('\n').filter(Boolean)
const readJson = (file: string) => JSON.parse(readFileSync(file, 'utf8'))

const { version } = readJson('package.json') as { version: string }
const lock = readJson('package-lock.json') as { version: string; packages: { '': { version: string } } }
const anyAddress = { PUBLIC_URL: 'https://finmeter.example' }
const sections = sectionsOf(readFileSync('CHANGELOG.md', 'utf8'))

const check = () =>
  releaseProblems({
    version,
    stated: {
      'package-lock.json': lock.version,
      'package-lock.json, packages': lock.packages[''].version,
      'the MCP handshake': serverInfo(anyAddress).version,
      '/server.json': serverJson(anyAddress).version,
    },
    sections,
    changedFiles: git('status', '--porcelain'),
    tags: git('tag', '--list'),
  })
const section = sections.find((one) => one.version === version)
const text = section && tagText(section)
if (dryRun && text) console.log(`Tag v${version}:\n\n${text}`)
stopAt(check())
if (!dryRun) {
  run('scripts/check-migrations.ts', '--release')
  stopAt(check())
  run('scripts/verify.ts')
  run('scripts/test.ts', '--all')
  // The checks may have written files.
  stopAt(check())
  // Verbatim: git would treat the headings of the notes as comments.
  execFileSync('git', ['tag', '--annotate', `v${version}`, '--cleanup=verbatim', '--file=-'], { input: text })
  console.log(`Tagged v${version}. Publish it with:\n\n  git push origin v${version}\n`)
}

function run(...args: string[]): void {
  if (spawnSync(process.execPath, args, { stdio: 'inherit' }).status !== 0) stopAt([`${args.join(' ')} failed`])
}

function stopAt(problems: string[]): void {
  if (problems.length === 0) return
  console.error(`Not released:\n${problems.map((problem) => `- ${problem}`).join('\n')}`)
  process.exit(1)
}
