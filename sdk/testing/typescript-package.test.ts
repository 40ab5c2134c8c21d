import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { startToolServer } from '#server/features/tools/testing/tool-server.ts'
import { productTools } from '#server/product-tools.ts'
import { closeAfterTests } from '#server/testing/close-after-tests.ts'
import { temporaryFolder } from '#server/testing/temporary-folder.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')
const sdk = (...given: string[]) => run(process.execPath, ['scripts/sdk.ts', ...given], { cwd: root })

const server = await closeAfterTests(startToolServer(productTools))
const own = await closeAfterTests(startToolServer())
const dir = temporaryFolder()
beforeAll(async () => {
  await writeFile(join(dir, 'package.json'), '{"type":"module"}')
  await install('finmeter')
})

/** Writes the package as `npm install` would, from the registry or another document. */
async function install(name: string, ...from: string[]): Promise<void> {
  const out = join(dir, 'node_modules', name)
  await mkdir(join(dir, 'node_modules'), { recursive: true })
  await sdk('typescript', '--out', out, ...from)
  await run('tsc', ['-p', out], { cwd: root })
}

async function compile(file: string): Promise<string> {
  const options = [
    '--strict',
    '--module',
    'nodenext',
    '--target',
    'esnext',
    '--lib',
    'esnext,dom,dom.iterable',
    '--types',
    '',
  ]
  const result = await run('tsc', ['--ignoreConfig', ...options, file], { cwd: dir }).catch((error) => error)
  return result.stdout
}

test('every snippet of the README compiles and runs against the product, from the built package', async () => {
  const readme = await readFile(join(root, 'sdk/typescript/README.md'), 'utf8')
  const snippets = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code!)
  expect(snippets.length).toBeGreaterThan(5)
  const { value, accountId } = await server.key({ credits: 1_000 })
  const imports = snippets.flatMap((code) => code.match(/^import .*$/gm) ?? [])
  const bodies = snippets.map((code, at) =>
    code
      .replaceAll(/^import .*\n/gm, '')
      .replaceAll('const client', `const client${at}`)
      .replaceAll('client.table', `client${at}.table`),
  )
  const text = [...imports, ...bodies, "console.log('the end')"]
    .join('\n')
    .replaceAll('fm_...', value)
    .replaceAll('https://data.example.com', server.url)
  await writeFile(join(dir, 'readme.ts'), text)
  expect(await compile('readme.ts')).toBe('')
  const { stdout } = await run(process.execPath, ['readme.js'], { cwd: dir, maxBuffer: 64 * 1024 * 1024 })
  expect(stdout).toMatch(/^\d+(\.\d+)? 1 999\n/)
  expect(stdout).toContain('APPL is not in the catalog')
  expect(stdout.endsWith('the end\n')).toBe(true)
  expect((await server.spending(accountId)).credits).toBeGreaterThan(5)
})

test("the snippet of the repository's README compiles and runs, too", async () => {
  const [, code] = /```ts\n([\s\S]*?)```/.exec(await readFile(join(root, 'README.md'), 'utf8'))!
  const { value } = await server.key({ credits: 10 })
  const text = code!
    .replaceAll('fm_...', value)
    .replaceAll('https://data.example.com', server.url)
    .replaceAll('ACME', 'AAPL')
  await writeFile(join(dir, 'start.ts'), text)
  expect(await compile('start.ts')).toBe('')
  const { stdout } = await run(process.execPath, ['start.js'], { cwd: dir })
  expect(stdout).toMatch(/^188\.59 1 rcpt_/)
})

test('types refuse what the API refuses', async () => {
  await writeFile(
    join(dir, 'wrong.ts'),
    `import { Finmeter, FinmeterError } from 'finmeter'
const finmeter = new Finmeter({ key: 'k' })
finmeter.getBars({})
finmeter.getBars({ symbol: 'A', range: '2mo' })
finmeter.getBars({ symbol: 'A', unknown: 1 })
const text: string = (await finmeter.getBars({ symbol: 'A' })).rows[0]!.close
`,
  )
  const lines = (await compile('wrong.ts')).split('\n').filter((line) => line.startsWith('wrong.ts'))
  expect(lines.map((line) => /\((\d+),/.exec(line)?.[1])).toEqual(['3', '4', '5', '6'])
})

test('an installation with other operations makes its own package', async () => {
  await install('own-data', '--from', `${own.url}/openapi.json`)
  const { value } = await own.key({ credits: 100 })
  const names = own.deps.tools
    .current()
    .all.filter(({ tool }) => tool.rest)
    .map(({ tool }) => tool.name)
  const text = `import { Finmeter } from 'own-data'
import * as operations from 'own-data/operations'
const finmeter = new Finmeter({ key: '${value}', url: '${own.url}' })
console.log(JSON.stringify([Object.values(operations).map(({ name }) => name).sort(), typeof finmeter.getBars]))
`
  await writeFile(join(dir, 'own.mjs'), text)
  const { stdout } = await run(process.execPath, ['own.mjs'], { cwd: dir })
  expect(JSON.parse(stdout)).toEqual([names.sort(), 'undefined'])
})

test('a document cannot write code', async () => {
  const document = await (await fetch(`${server.url}/openapi.json`)).json()
  const path = document.paths['/v1/status'].get
  path.description = 'Ends */ process.exit(9) /* here'
  path.summary = "Status'\n */ evil()"
  const file = join(dir, 'evil.json')
  await writeFile(file, JSON.stringify(document))
  await sdk('typescript', '--out', join(dir, 'evil'), '--from', file)
  const written = await readFile(join(dir, 'evil/src/finmeter.gen.ts'), 'utf8')
  expect(written).toContain('Ends * / process.exit(9)')
  path.operationId = 'x(){}; evil'
  await writeFile(file, JSON.stringify(document))
  await expect(sdk('typescript', '--out', join(dir, 'evil'), '--from', file)).rejects.toThrow(
    'cannot be a name in code',
  )
})

test('generated files that do not match the registry are noticed', async () => {
  expect((await sdk('--check')).stderr).toBe('')
})
