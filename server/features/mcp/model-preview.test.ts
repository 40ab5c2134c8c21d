import { expect, test } from 'vitest'
import { previewForModels } from './model-preview.ts'

const table = (count: number) => ({
  columns: ['day', 'text'],
  rows: Array.from({ length: count }, (_, n) => [n, `row number ${n} of many, with some words in it`]),
  meta: { row_count: count, warnings: [] },
  next_cursor: 'after everything',
  cursorAt: (rows: number) => `after ${rows}`,
})

test('a preview goes on right after its last row', () => {
  const { output } = previewForModels(table(20_000)) as { output: ReturnType<typeof table> }
  const kept = output.rows.length
  expect(kept).toBeGreaterThan(0)
  expect(kept).toBeLessThan(20_000)
  expect(output.next_cursor).toBe(`after ${kept}`)
  expect(output.meta).toMatchObject({ row_count: kept, truncated: true })
})

test('a short table is left as it is', () => {
  const short = table(10)
  expect(previewForModels(short).output).toBe(short)
})
