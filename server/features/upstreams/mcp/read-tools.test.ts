import { expect, test } from 'vitest'
import { prepareVersion } from '../prepare-version.ts'
import { parseManifest } from '../read-manifest.ts'
import { changedParts, offeredDocument, pinsOf, type ToolDefinition } from './offered.ts'

test('descriptions are shown as text: cut, with hidden characters marked, also within schemas', async () => {
  const hostile = `Prices.\u202Esecret\u0000\u001B[31m ${'x'.repeat(5_000)}`
  const listed: ToolDefinition[] = [
    {
      name: 'loud',
      title: `Lo\u200Bud`,
      description: hostile,
      inputSchema: { type: 'object', properties: { q: { type: 'string', description: hostile } } },
      annotations: { readOnlyHint: true, title: hostile, evil: hostile },
    },
    { name: '../admin', inputSchema: { type: 'object' } },
    { name: 'remote', inputSchema: { type: 'object', properties: { a: { $ref: 'https://evil.example/s.json' } } } },
  ]
  const { tools, left } = await prepareVersion(
    parseManifest({ id: 'loud', kind: 'mcp', base: 'https://mcp.acme.example/mcp', defaults: { credits: 1 } }),
    offeredDocument('Acme', { tools: listed, prompts: [], resources: [] }),
    {},
    { problems: () => [] },
  )
  expect(tools.map(({ name }) => name)).toEqual(['loud_loud'])
  const [{ title, description, input, mcp }] = tools as [(typeof tools)[0]]
  expect([title, description.length, description.slice(0, 18)]).toEqual([
    'Lo\uFFFDud',
    1024,
    'Prices.\uFFFDsecret\uFFFD\uFFFD[3',
  ])
  const { properties } = (input as unknown as { jsonSchema: { properties: { q: { description: string } } } }).jsonSchema
  expect(properties.q.description).toBe(description)
  expect(mcp).toEqual({ annotations: { readOnlyHint: true }, live: true })
  expect(left.map(({ operation }) => operation)).toEqual(['../admin', 'remote'])
})

test('pins do not see the order of names, and see every part that is served', () => {
  const tool: ToolDefinition = { name: 'a', inputSchema: { type: 'object', properties: { x: {}, y: {} } } }
  const pins = pinsOf('tools', tool)
  expect(pins.inputSchema).toMatch(/^[0-9a-f]{64}$/)
  const reordered = { name: 'a', inputSchema: { properties: { y: {}, x: {} }, type: 'object' } }
  expect(changedParts(pins, pinsOf('tools', reordered))).toEqual([])
  const changes: [Partial<ToolDefinition>, string][] = [
    [{ title: 'A' }, 'title'],
    [{ description: 'A' }, 'description'],
    [{ inputSchema: { type: 'object', properties: { x: {} } } }, 'inputSchema'],
    [{ outputSchema: { type: 'object' } }, 'outputSchema'],
    [{ annotations: { readOnlyHint: true } }, 'annotations'],
  ]
  for (const [change, part] of changes)
    expect(changedParts(pins, pinsOf('tools', { ...tool, ...change }))).toEqual([part])
})
