import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { basicTools } from '../basic/basic-tools.ts'
import { defineTool, type Tool } from '../define-tool.ts'
import { startToolServer, type ToolServer } from '../testing/tool-server.ts'
import { retirementHeaders } from './retirement.ts'

const greet = (more: Partial<Tool>): Tool => ({
  ...defineTool({
    name: 'greet',
    title: 'Greeting',
    description: 'Says hello.',
    input: z.strictObject({ name: z.string().describe('Who'), loud: z.boolean().optional().describe('Shouts') }),
    output: z.object({ text: z.string() }),
    kind: 'value',
    credits: { kind: 'fixed', credits: 1 },
    rest: { method: 'GET', path: '/v1/greet/{name}' },
    run: ({ name }) => ({ text: `Hello ${name}` }),
  }),
  ...more,
})
const old = greet({
  name: 'old_greet',
  rest: { method: 'GET', path: '/v1/old-greet/{name}' },
  deprecated: { since: '2026-01-31', ends: '2026-12-31', instead: 'Use greet.' },
})
const partly = greet({ deprecatedInputs: { loud: { since: '2026-03-01', instead: 'Write it in capitals.' } } })

let server: ToolServer
beforeAll(async () => {
  server = await startToolServer([...basicTools, old, partly])
})
afterAll(() => server?.close())

const headersOf = async (path: string, key: string) => {
  const answer = await fetch(server.url + path, { headers: { 'x-api-key': key } })
  return [answer.status, ...['deprecation', 'sunset', 'link'].map((name) => answer.headers.get(name))]
}

test('a deprecated tool says so on every answer; a deprecated input where it is used', async () => {
  const { value } = await server.key({ credits: 10 })
  const link = `<${server.url}/docs/deprecation>; rel="deprecation"; type="text/html"`
  const whole = ['@1769817600', 'Thu, 31 Dec 2026 00:00:00 GMT', link]
  expect(await headersOf('/v1/old-greet/Ada', value)).toEqual([200, ...whole])
  expect(await headersOf('/v1/old-greet/Ada?wrong=1', value)).toEqual([400, ...whole])
  expect(await headersOf('/v1/greet/Ada', value)).toEqual([200, null, null, null])
  expect(await headersOf('/v1/greet/Ada?loud=true', value)).toEqual([200, '@1772323200', null, link])
})

test('the documents say so, too', async () => {
  const { paths } = await (await fetch(`${server.url}/openapi.json`)).json()
  const { get } = paths['/v1/old-greet/{name}']
  expect(get).toMatchObject({
    deprecated: true,
    description: expect.stringContaining('Deprecated since 2026-01-31, ends on 2026-12-31. Use greet. Says hello.'),
  })
  expect(paths['/v1/greet/{name}'].get).not.toHaveProperty('deprecated')
  expect(paths['/v1/greet/{name}'].get.parameters.slice(0, 2)).toMatchObject([
    { name: 'name', description: 'Who' },
    { name: 'loud', deprecated: true, description: 'Deprecated since 2026-03-01. Write it in capitals. Shouts' },
  ])
  const { value } = await server.key()
  const listed = await fetch(`${server.url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': value },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  })
  const { tools } = (await listed.json()).result
  expect(tools.find(({ name }: { name: string }) => name === 'old_greet').description).toMatch(/^Deprecated since/)
})

test.each([
  [{ deprecated: { since: 'soon', instead: '' } }, 'dates of a deprecation are written as 2026-01-31.'],
  [{ deprecated: { since: '2026-02-01', ends: '2026-01-01', instead: '' } }, 'cannot end before it is deprecated.'],
  [{ deprecatedInputs: { size: { since: '2026-02-01', instead: '' } } }, 'has no input size to deprecate.'],
])('wrong data stops the start: %j', (more, message) => {
  expect(() => retirementHeaders(greet(more), 'https://data.example')).toThrow(message)
})
