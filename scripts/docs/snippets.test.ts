import { execFile, spawnSync } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '#server/testing/temporary-folder.ts'
import { startToolServer, type ToolServer } from '../../server/features/tools/testing/tool-server.ts'
import { productTools } from '../../server/product-tools.ts'
import type { Language } from '../../web/features/snippets/languages.ts'
import { copyable } from '../../web/lib/clipboard.ts'
import { productOperation } from './product-operation.ts'
import { documentedTools } from './reference.ts'
import { requestLanguages, requestSnippet } from './request-example.ts'
import { requestExample } from './request-of.ts'

const execute = promisify(execFile)

const sdk = join(import.meta.dirname, '../../sdk')
const program = join(sdk, 'typescript/src/cli/main.ts')
/** `SDK_PYTHON` names another interpreter. */
const interpreter = process.env.SDK_PYTHON ?? '/usr/bin/python3'
const hasPandas = spawnSync(interpreter, ['-c', 'import httpx, pandas']).status === 0

/** Runs copied snippets as a reader would who has installed the libraries. */
const programs: Record<Language, (code: string) => [string, string[]]> = {
  curl: (code) => ['sh', ['-c', code]],
  javascript: (code) => [process.execPath, ['--input-type=module-typescript', '-e', code]],
  python: (code) => [interpreter, ['-c', code]],
  // As published, without the registry: the program of this repository.
  cli: (code) => ['sh', ['-c', code.replace(/^npx finmeter/, `"${process.execPath}" "${program}"`)]],
}

let server: ToolServer
let key: string
const dir = temporaryFolder()
beforeAll(async () => {
  server = await startToolServer(productTools)
  key = (await server.key({ credits: 10_000 })).value
  // As `npm install finmeter` leaves it, but from the sources.
  const installed = join(dir, 'node_modules/finmeter')
  await mkdir(installed, { recursive: true })
  await symlink(join(sdk, 'typescript/src'), join(installed, 'src'))
  await writeFile(join(installed, 'package.json'), '{"type":"module","exports":"./src/finmeter.gen.ts"}')
  await writeFile(join(dir, 'package.json'), '{"type":"module"}')
})
afterAll(async () => {
  await server?.close()
})

const endpoints = documentedTools().filter(({ tool }) => tool.rest)

test('every endpoint has an example', () => {
  expect(endpoints.filter(({ tool }) => !requestExample(tool)).map(({ tool }) => tool.name)).toEqual([])
  expect(endpoints.length).toBeGreaterThan(15)
})

const run = (command: string, words: string[]) => {
  const env = { PATH: process.env.PATH, PYTHONPATH: join(sdk, 'python'), PYTHONDONTWRITEBYTECODE: '1' }
  return execute(command, words, { timeout: 120_000, cwd: dir, env })
}
const codeOf = (tool: (typeof endpoints)[number]['tool'], language: Language) =>
  copyable(requestSnippet(requestExample(tool)!, language, productOperation, { origin: server.url, key }))
const wrong = /urn:finmeter:error|undefined|Empty DataFrame/

describe.each(requestLanguages.filter(({ language }) => language !== 'python'))('$name', ({ language }) => {
  test.each(endpoints.map(({ tool }) => [tool.name, tool] as const))('%s', async (_name, tool) => {
    const code = codeOf(tool, language)
    if (language === 'javascript') expect(code).toContain('import { Finmeter } from "finmeter"')
    const [command, words] = programs[language](code)
    const { stdout } = await run(command, words)
    // Only curl shows the whole answer; the others print the rows or the object in it.
    expect(stdout).toMatch(language === 'curl' ? /"data": ?/ : /\S/)
    expect(stdout).not.toMatch(wrong)
  })
})

// In one process: pandas takes long to load.
test.skipIf(!hasPandas)(
  'Python',
  async () => {
    const codes = endpoints.map(({ tool }) => codeOf(tool, 'python'))
    for (const code of codes) expect(code).toContain('from finmeter import Finmeter')
    const [command, words] = programs.python(codes.map((code) => `${code}\nprint("=====")\n`).join(''))
    const { stdout } = await run(command, words)
    const printed = stdout.split('=====\n').slice(0, -1)
    expect(printed).toHaveLength(endpoints.length)
    for (const one of printed) expect(one).toMatch(/\S/)
    expect(stdout).not.toMatch(wrong)
  },
  120_000,
)

test('every TypeScript snippet passes the compiler', async () => {
  const files = endpoints.map(({ tool }) => `${tool.name}.ts`)
  for (const { tool } of endpoints)
    await writeFile(join(dir, `${tool.name}.ts`), requestSnippet(requestExample(tool)!, 'javascript', productOperation))
  const options =
    '--ignoreConfig --noEmit --strict --module nodenext --target esnext --lib esnext,dom,dom.iterable --types node'
  const settings = ['--allowImportingTsExtensions', '--typeRoots', join(sdk, '../node_modules/@types')]
  const { stdout } = await run('tsc', [...options.split(' '), ...settings, ...files]).catch(
    (error: { stdout: string }) => error,
  )
  expect(stdout).toBe('')
})
