import { expect, test } from 'vitest'
import type { PlaygroundTool } from '#contract/playground.ts'
import { quickTools } from './quick-tools.ts'

const tool = (name: string, required: string[], hints?: { destructive: boolean; readOnly: boolean }): PlaygroundTool =>
  ({ name, inputSchema: { type: 'object', required }, serverName: 'finmeter', tokens: 1, hints }) as PlaygroundTool

test('quick buttons never call what may destroy something; those that need nothing come first, examples after what is sold', () => {
  const tools = [
    tool('get_bars', ['symbol']),
    tool('acme_delete_all', [], { destructive: true, readOnly: false }),
    tool('timestamp', [], { destructive: true, readOnly: true }),
    tool('get_usage', []),
  ]
  expect(quickTools(tools).map(({ name }) => name)).toEqual(['get_usage', 'timestamp', 'get_bars'])
})
