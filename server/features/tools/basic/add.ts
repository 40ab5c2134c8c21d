import { z } from 'zod'
import { AppError } from '../../../http/errors.ts'
import { defineTool } from '../define-tool.ts'

export const add = defineTool({
  name: 'add',
  title: 'Add two numbers',
  description: 'Adds two numbers. Free; use it to test the connection.',
  input: z.strictObject({ a: z.number().describe('First number'), b: z.number().describe('Second number') }),
  output: z.object({ result: z.number() }),
  kind: 'value',
  credits: { kind: 'fixed', credits: 0 },
  example: { a: 2, b: 3 },
  errors: ['result_out_of_range'],
  listedLast: true,
  mcp: { presets: ['test'] },
  run: ({ a, b }) => {
    const result = a + b
    if (!Number.isFinite(result)) throw new AppError('result_out_of_range')
    return { result }
  },
})
