import { z } from 'zod'
import { defineTool } from '../define-tool.ts'

const MAX_TEXT_LENGTH = 10_000

export const echo = defineTool({
  name: 'echo',
  title: 'Echo a text',
  description: 'Returns the text that it was given. Free; use it to test the connection.',
  input: z.strictObject({ text: z.string().max(MAX_TEXT_LENGTH).describe('Text to return') }),
  output: z.object({ text: z.string() }),
  kind: 'value',
  credits: { kind: 'fixed', credits: 0 },
  example: { text: 'hello' },
  listedLast: true,
  mcp: { presets: ['test'] },
  run: ({ text }) => ({ text }),
})
