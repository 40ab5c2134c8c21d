/**
 * `npm run release`: checks that the version in package.json can be released and breaks no client of the API that it may not break,
 * records its migrations and its API (files to commit), runs verify and every test, packs the client libraries into build/release,
 * and creates the annotated tag from CHANGELOG.md. It never pushes or publishes. `--dry-run` prints the tag's text and creates
 * nothing; `--pack` only packs.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { serverInfo } from '#server/features/mcp/server-identity.ts'
import { serverJson } from '#server/features/mcp/server-json.ts'
import { unnamedShop } from '#server/features/shop/shop.ts'
import { picturesAreOld } from './pictures/inputs.ts'
import { breakingChanges } from './release/api-changes.ts'
import { sectionsOf, tagText } from './release/changelog.ts'
import { currentApi } from './release/current-api.ts'
import { npmDryRun, packLibraries } from './release/pack.ts'
import { releaseProblems } from './release/problems.ts'

const dryRun = process.argv.includes('--dry-run')
const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).split('\n').filter(Boolean)
const readJson = (file: string) => JSON.parse(readFileSync(file, 'utf8'))

const { version } = readJson('package.json') as { version: string }
const lock = readJson('package-lock.json') as { version: string; packages: { '': { version: string } } }
const releasedFile = 'scripts/release/released-openapi.json'
const released = readJson(releasedFile)
const api = JSON.parse(JSON.stringify(currentApi()))
const breaking = released.release === version ? [] : breakingChanges(released.document, api)
const anyAddress = { PUBLIC_URL: 'https://finmeter.example' }
const sections = sectionsOf(readFileSync('CHANGELOG.md', 'utf8'))

const shop = unnamedShop({ SUPPORT_EMAIL: 'support@example.com', MAIL_FROM: undefined })

const check = () =>
  releaseProblems({
    version,
    stated: {
      'package-lock.json': lock.version,
      'package-lock.json, packages': lock.packages[''].version,
      'the MCP handshake': serverInfo(anyAddress, shop).version,
      '/server.json': serverJson(anyAddress, shop).version,
    },
    sections,
    changedFiles: git('status', '--porcelain'),
    tags: git('tag', '--list'),
    oldPictures: picturesAreOld(),
    released: released.release,
    breaking,
  })
if (process.argv.includes('--pack')) {
  pack()
  process.exit()
}
const section = sections.find((one) => one.version === version)
const text = section && tagText(section)
if (dryRun && text) console.log(`Tag v${version}:\n\n${text}`)
if (dryRun && breaking.length > 0) console.log(`Breaks clients of ${released.release}:\n${listOf(breaking)}\n`)
stopAt(check())
if (!dryRun) {
  run('scripts/check-migrations.ts', '--release')
  if (released.release !== version)
    writeFileSync(releasedFile, `${JSON.stringify({ release: version, document: api })}\n`)
  stopAt(check())
  run('scripts/verify.ts')
  run('scripts/test.ts', '--all')
  // The checks may have written files.
  stopAt(check())
  pack()
  // Verbatim: git would treat the headings of the notes as comments.
  execFileSync('git', ['tag', '--annotate', `v${version}`, '--cleanup=verbatim', '--file=-'], { input: text })
  console.log(`Tagged v${version}. Publish it with:\n\n  git push origin v${version}\n`)
}

/** Writes both packages and says how they are published. Only npm's own CI can sign where a package comes from. */
function pack(): void {
  const out = join(import.meta.dirname, '../build/release')
  const { version } = readJson('sdk/typescript/package.json') as { version: string }
  const files = packLibraries(out, version)
  console.log(`Packed into build/release:\n${listOf(files)}\n`)
  console.log(`${npmDryRun(join(out, `finmeter-${version}.tgz`))}\n\nPublish them with:\n`)
  console.log(`  npm publish build/release/finmeter-${version}.tgz --provenance --access public`)
  console.log(
    `  twine upload build/release/finmeter-${version}-py3-none-any.whl build/release/finmeter-${version}.tar.gz\n`,
  )
}

function run(...args: string[]): void {
  if (spawnSync(process.execPath, args, { stdio: 'inherit' }).status !== 0) stopAt([`${args.join(' ')} failed`])
}

function stopAt(problems: string[]): void {
  if (problems.length === 0) return
  console.error(`Not released:\n${listOf(problems)}`)
  process.exit(1)
}

function listOf(lines: string[]): string {
  return lines.map((line) => `- ${line}`).join('\n')
}
