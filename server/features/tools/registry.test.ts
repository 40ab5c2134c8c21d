import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { productTools } from '../../product-tools.ts'
import { createTestDatabase, type TestDatabase } from '../../testing/harness.ts'
import { basicTools } from './basic/basic-tools.ts'
import { defineTool, type Tool } from './define-tool.ts'
import { jsonInput } from './json-input.ts'
import { createToolRegistry } from './registry.ts'
import { reservedUpstreamIds } from './reserved-upstream-ids.ts'

let own: TestDatabase
beforeAll(async () => {
  own = await createTestDatabase()
})
afterAll(() => own?.drop())

const tool = (name: string, more: Partial<Tool> = {}): Tool => ({
  ...defineTool({
    name,
    title: name,
    description: 'A test.',
    input: z.strictObject({ symbol: z.string() }),
    output: z.object({}),
    kind: 'value',
    credits: { kind: 'fixed', credits: 1 },
    run: () => ({}),
  }),
  ...more,
})

test('a tool keeps its number across restarts, releases and concurrent starts', async () => {
  const first = (await createToolRegistry([tool('one'), tool('two')], own.db)).current()
  const together = await Promise.all(
    [1, 2, 3].map(() =>
      createToolRegistry([tool('three'), tool('two'), tool('one')], own.db).then((made) => made.current()),
    ),
  )
  for (const registry of together) {
    expect(registry.get('one')?.id).toBe(first.get('one')?.id)
    expect(registry.get('two')?.id).toBe(first.get('two')?.id)
    expect(registry.get('three')?.id).toBe(together[0]?.get('three')?.id)
  }
  const later = (await createToolRegistry([tool('two')], own.db)).current()
  expect(later.get('one')).toBeUndefined()
  expect(later.nameOf(first.get('one')!.id)).toBe('one')
  expect(later.nameOf(30_000)).toBeNull()
})

test('a name that another instance is adding is awaited', async () => {
  const other = await own.db.pool.connect()
  await other.query('begin')
  await other.query(`insert into tools (name) values ('contested')`)
  const starting = createToolRegistry([tool('contested')], own.db)
  const waiting = async () =>
    (
      await own.db.pool.query(`select count(*)::int as n from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`)
    ).rows[0].n
  await expect.poll(waiting).toBe(1)
  await other.query('commit')
  other.release()
  expect((await starting).current().get('contested')?.id).toEqual(expect.any(Number))
})

test('invalid definitions stop the start', async () => {
  const start = (...tools: Tool[]) => createToolRegistry(tools, own.db)
  await expect(start(tool('a'), tool('a'))).rejects.toThrow('Two tools are named a.')
  await expect(start(tool('Bad Name'))).rejects.toThrow('Tool name Bad Name')
  await expect(start(tool('b', { input: z.object({ symbol: z.string() }) }))).rejects.toThrow('z.strictObject')
  await expect(start(tool('c', { rest: { method: 'GET', path: '/v1/{other}' } }))).rejects.toThrow(
    'path parameter other is not an input',
  )
  await expect(start(tool('d', { rest: { method: 'GET', path: '/api/x' } }))).rejects.toThrow(
    'REST paths begin with /v1/',
  )
})

test('MCP has its own defaults, and its list never changes', async () => {
  const registry = await createToolRegistry(
    [tool('defaults', { mcp: { defaults: { symbol: 'SPX' } } }), tool('hidden', { mcp: false })],
    own.db,
  )
  expect(registry.current().mcpTools.map(({ name }) => name)).toEqual(['defaults'])
  expect(registry.current().mcpTools[0]?.inputSchema).toMatchObject({
    properties: { symbol: { type: 'string', default: 'SPX' } },
    required: [],
  })
  expect(registry.current().mcpTools).toBe(registry.current().mcpTools)
  expect(() => Object.assign(registry.current().mcpTools[0]!, { description: 'x' })).toThrow(TypeError)
})

test('the free tools describe themselves in few tokens', async () => {
  const { mcpTools } = (await createToolRegistry(basicTools, own.db)).current()
  expect(mcpTools.map(({ name, _meta }) => [name, _meta])).toEqual([
    ['add', { 'finmeter/credits': { kind: 'fixed', credits: 0 } }],
    ['echo', { 'finmeter/credits': { kind: 'fixed', credits: 0 } }],
    ['timestamp', { 'finmeter/credits': { kind: 'fixed', credits: 0 } }],
  ])
  // About four characters a token.
  expect(JSON.stringify(mcpTools).length / 4).toBeLessThan(600)
})

test('a supplier is replaced as a whole, or not at all; a snapshot never changes', async () => {
  const registry = await createToolRegistry(
    [tool('ours', { rest: { method: 'GET', path: '/v1/ours/{symbol}' } })],
    own.db,
  )
  const before = registry.current()
  const versions: number[] = []
  const end = registry.onChange(({ version }) => versions.push(version))
  await registry.replace('upstreams', [tool('theirs')])
  const between = registry.current()
  await expect(registry.replace('upstreams', [tool('other'), tool('ours')])).rejects.toThrow(
    'Two tools are named ours.',
  )
  await expect(
    registry.replace('upstreams', [tool('other', { rest: { method: 'GET', path: '/v1/ours/{symbol}' } })]),
  ).rejects.toThrow('The tools ours and other have the same path.')
  expect(registry.current()).toBe(between)
  await registry.replace('upstreams', [])
  end()
  await registry.replace('upstreams', [tool('theirs')])
  expect(versions).toEqual([before.version + 1, before.version + 2])
  expect([before, between].map(({ all }) => all.map((entry) => entry.tool.name))).toEqual([
    ['ours'],
    ['ours', 'theirs'],
  ])
  expect(registry.current().get('theirs')?.id).toBe(between.get('theirs')?.id)
  expect(() => Object.assign(between, { version: 7 })).toThrow(TypeError)
})

const bodies = { kind: 'body', input: jsonInput({ properties: { a: {} } }) } as const
const acme = { id: 'acme', operation: 'o', method: 'GET', path: '/' }
test.each([
  ['an upstream cannot be called meter', { upstream: { ...acme, id: 'meter' } }],
  ['an upstream cannot be called A', { upstream: { ...acme, id: 'A' } }],
  ['its path begins with /v1/acme/', { upstream: acme, rest: { method: 'GET', path: '/v1/usage' } }],
  [
    'in the header authorization',
    { ...bodies, rest: { method: 'GET', path: '/v1/x', names: { a: 'authorization' }, places: { a: 'header' } } },
  ],
  [
    'in the header a\r\nb',
    { ...bodies, rest: { method: 'GET', path: '/v1/x', names: { a: 'a\r\nb' }, places: { a: 'header' } } },
  ],
  ['numbers of a price are whole', { credits: { kind: 'fixed', credits: 0.5 } }],
  ['a price by kib is for kind body', { credits: { kind: 'kib', credits: 1, most: 2 } }],
  ['at is a JSON pointer', { ...bodies, credits: { kind: 'rows', at: 'items', per: 1, credits: 1 } }],
  ['charge has statuses', { ...bodies, charge: ['ok'] }],
  ['a stream needs a highest price', { ...bodies, streamMs: 1, credits: { kind: 'rows', at: '', per: 1, credits: 1 } }],
] as [string, Partial<Tool>][])('a definition is refused: %s', async (problem, more) => {
  const registry = await createToolRegistry([], own.db)
  await expect(registry.replace('upstreams', [tool('x', more)])).rejects.toThrow(problem)
  expect(registry.problems('upstreams', [tool('x', more), tool('y')])).toMatchObject([{ tool: 'x' }])
})

test('no first segment of ours can be the id of an upstream', () => {
  const segments = productTools.flatMap(({ rest }) => (rest ? [rest.path.split('/')[2]!] : []))
  expect(segments.length).toBeGreaterThan(15)
  expect(segments.filter((segment) => !reservedUpstreamIds.has(segment))).toEqual([])
})
