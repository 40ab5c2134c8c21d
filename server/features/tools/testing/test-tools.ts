import { z } from 'zod'
import { AppError } from '../../../http/errors.ts'
import { type CodeTool, defineTool, type Table, tableOutput } from '../define-tool.ts'

export const table = (rows: Table['rows']): Table => ({
  columns: ['symbol', 'n', 'note', 'live'],
  rows,
  meta: { row_count: rows.length, warnings: [] },
  next_cursor: rows.length > 2 ? 'next' : null,
})

const rowsTool = defineTool({
  name: 'test_rows',
  title: 'Rows',
  description: 'As many rows as asked for.',
  input: z.strictObject({
    symbol: z.string().describe('Symbol'),
    rows: z.int().min(0).max(5000).default(2).describe('How many'),
    note: z.string().nullable().default('plain').describe('Text of each row'),
    order: z.enum(['up', 'down']).default('up').describe('Order'),
    live: z.boolean().default(false).describe('Flag'),
    scale: z.array(z.number()).default([1]).describe('Factors'),
  }),
  output: tableOutput,
  kind: 'table',
  credits: { kind: 'fixed', credits: 3 },
  rest: { method: 'GET', path: '/v1/test/rows/{symbol}', defaults: { rows: 3 } },
  mcp: { defaults: { rows: 1 } },
  run: ({ symbol, rows, note, live, scale }) => {
    if (symbol === 'NOPE')
      throw new AppError('unknown_symbol', 'NOPE is not in the catalog.', {
        param: 'symbol',
        suggestions: ['NOTE', 'ROPE'],
      })
    const factor = scale.reduce((product, one) => product * one, 1)
    return table(Array.from({ length: rows }, (_, index) => [symbol, (index + 1) * factor, note, live]))
  },
})

const perRows = defineTool({
  name: 'test_per_rows',
  title: 'Priced by rows',
  description: 'Costs 2 credits per 10 rows, rounded up.',
  input: z.strictObject({ rows: z.int().describe('How many') }),
  output: tableOutput,
  kind: 'table',
  credits: { kind: 'rows', credits: 2, perRows: 10 },
  rest: { method: 'GET', path: '/v1/test/per-rows' },
  run: ({ rows }) => table(Array.from({ length: rows }, () => ['A', 1, '', true])),
})

const modes = ['throw', 'not_finite', 'wrong_count', 'slow', 'deaf', 'upstream', 'ok'] as const
const failing = defineTool({
  name: 'test_failing',
  title: 'Fails',
  description: 'Fails in the way asked for.',
  input: z.strictObject({ mode: z.enum(modes).describe('How') }),
  output: tableOutput,
  kind: 'table',
  credits: { kind: 'fixed', credits: 1 },
  timeoutMs: 80,
  rest: { method: 'GET', path: '/v1/test/failing' },
  run: async ({ mode }, { signal }) => {
    if (mode === 'throw') throw new Error('password=hunter2 in the message of a library')
    if (mode === 'upstream') throw new AppError('upstream_failed')
    if (mode === 'slow') await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    // Ignores its signal.
    if (mode === 'deaf') await new Promise(() => {})
    const answer = table([['A', mode === 'not_finite' ? Number.NaN : 1, '', true]])
    return mode === 'wrong_count' ? { ...answer, meta: { ...answer.meta, row_count: 7 } } : answer
  },
})

const posted = defineTool({
  name: 'test_posted',
  title: 'Takes a body',
  description: 'Sums numbers.',
  input: z.strictObject({
    numbers: z.array(z.number()).describe('Numbers'),
    unit: z.string().default('').describe('Unit'),
  }),
  output: z.object({ sum: z.number(), unit: z.string() }),
  kind: 'value',
  credits: { kind: 'fixed', credits: 1 },
  rest: { method: 'POST', path: '/v1/test/sum' },
  mcp: false,
  run: ({ numbers, unit }) => ({ sum: numbers.reduce((sum, one) => sum + one, 0), unit }),
})

/** Tools for tests only: every way in which a tool can answer, charge and fail. */
export const testTools: CodeTool[] = [rowsTool, perRows, failing, posted]
