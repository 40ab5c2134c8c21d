import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startToolServer, type ToolServer } from '../../server/features/tools/testing/tool-server.ts'
import { productTools } from '../../server/product-tools.ts'
import type { Language } from '../../web/features/snippets/languages.ts'
import { copyable } from '../../web/lib/clipboard.ts'
import { productOperation } from './product-operation.ts'
import { documentedTools } from './reference.ts'
import { requestLanguages, requestSnippet } from './request-example.ts'
import { requestExample } from './request-of.ts'

const run = promisify(execFile)

const program = join(import.meta.dirname, '../../sdk/typescript/src/cli/main.ts')

/** Runs copied snippets as a reader would: in a shell, under Node, and under Python 3 without packages. */
const programs: Record<Language, (code: string) => [string, string[]]> = {
  curl: (code) => ['sh', ['-c', code]],
  javascript: (code) => [process.execPath, ['--input-type=module-typescript', '-e', code]],
  python: (code) => ['python3', ['-c', code]],
  // As published, without the registry: the program of this repository.
  cli: (code) => ['sh', ['-c', code.replace(/^npx finmeter/, `"${process.execPath}" "${program}"`)]],
}

let server: ToolServer
let key: string
beforeAll(async () => {
  server = await startToolServer(productTools)
  key = (await server.key({ credits: 10_000 })).value
})
afterAll(() => server?.close())

const endpoints = documentedTools().filter(({ tool }) => tool.rest)

test('every endpoint has an example', () => {
  expect(endpoints.filter(({ tool }) => !requestExample(tool)).map(({ tool }) => tool.name)).toEqual([])
  expect(endpoints.length).toBeGreaterThan(15)
})

describe.each(requestLanguages)('$name', ({ language }) => {
  test.each(endpoints.map(({ tool }) => [tool.name, tool] as const))('%s', async (_name, tool) => {
    const code = requestSnippet(requestExample(tool)!, language, productOperation, { origin: server.url, key })
    const [command, words] = programs[language](copyable(code))
    const { stdout } = await run(command, words, { timeout: 20_000 })
    // The program prints the rows alone, as a table.
    expect(stdout).toMatch(language === 'cli' ? /\S/ : /["']?data["']?: ?/)
    expect(stdout).not.toContain('urn:finmeter:error')
  })
})
