import { z } from 'zod'
import { defineTool } from '../define-tool.ts'

export const timestamp = defineTool({
  name: 'timestamp',
  title: 'Current time',
  description: 'Returns the current time of the server in UTC. Free; use it to test the connection.',
  input: z.strictObject({}),
  output: z.object({ iso: z.string(), unix_ms: z.int() }),
  kind: 'value',
  credits: { kind: 'fixed', credits: 0 },
  example: {},
  listedLast: true,
  mcp: { presets: ['test'] },
  run: () => {
    const now = new Date()
    return { iso: now.toISOString(), unix_ms: now.getTime() }
  },
})
