import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startToolServer, type ToolServer } from '../../server/features/tools/testing/tool-server.ts'
import { productTools } from '../../server/product-tools.ts'
import { copyable, type Language } from '../../web/features/snippets/snippets.ts'
import { documentedTools, requestExample } from './reference.ts'
import { requestLanguages, requestSnippet } from './request-example.ts'

const run = promisify(execFile)

/** Runs copied snippets as a reader would: in a shell, under Node, and under Python 3 without packages. */
const programs: Record<Language, (code: string) => [string, string[]]> = {
  curl: (code) => ['sh', ['-c', code]],
  javascript: (code) => [process.execPath, ['--input-type=module-typescript', '-e', code]],
  python: (code) => ['python3', ['-c', code]],
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
    const code = requestSnippet(requestExample(tool)!, language, { origin: server.url, key })
    const [command, words] = programs[language](copyable(language, code))
    const { stdout } = await run(command, words, { timeout: 20_000 })
    expect(stdout).toMatch(/["']?data["']?: ?/)
    expect(stdout).not.toContain('urn:finmeter:error')
  })
})
