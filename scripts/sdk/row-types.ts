import type { MarketData } from '#server/features/market-data/market-data.ts'
import type { CodeTool, Table, ToolContext } from '#server/features/tools/define-tool.ts'
import { registerTool } from '#server/features/tools/register-tool.ts'
import { loadDemoMarket } from '../docs/example-answer.ts'

export interface ColumnType {
  name: string
  types: ('string' | 'number' | 'boolean')[]
  nullable: boolean
}
export interface RowType {
  columns: ColumnType[]
  /** Other choices add no columns. */
  complete: boolean
}
/** The columns of each operation that are known. */
export type RowTypes = ReadonlyMap<string, RowType>

/**
 * The columns that a tool's answers have whatever its choices are: those that its example returns with every value of every
 * choice. Their types are those seen. Any cell can be null, except in rows that are stored as numbers.
 */
export async function rowTypes(tools: readonly CodeTool[]): Promise<RowTypes> {
  const market = await loadDemoMarket()
  const found = new Map<string, RowType>()
  for (const tool of tools) {
    if (tool.kind !== 'table' || !tool.rest || !tool.example) continue
    const tables = await answers(tool, market)
    const names = tables[0]?.columns.filter((name) => tables.every((table) => table.columns.includes(name))) ?? []
    if (names.length > 0)
      found.set(tool.name, {
        columns: names.map((name) => columnType(name, tables)),
        complete: tables.every((table) => table.columns.length === names.length),
      })
  }
  return found
}

async function answers(tool: CodeTool, market: MarketData): Promise<Table[]> {
  const tables: Table[] = []
  for (const input of variants(tool)) {
    const parsed = tool.input.safeParse(input)
    if (!parsed.success) continue
    const context = { market, signal: new AbortController().signal, streams: false } as unknown as ToolContext
    try {
      tables.push((await tool.run(parsed.data, context)) as Table)
    } catch {
      // Not every combination has an answer, and some need the database.
    }
  }
  return tables
}

/** The example, and the example with one choice made differently. */
function variants(tool: CodeTool): Record<string, unknown>[] {
  const base: Record<string, unknown> = { ...tool.rest?.defaults, ...tool.example }
  const { properties } = registerTool(tool, 0).inputSchema as {
    properties: Record<string, { type?: string; enum?: unknown[]; default?: unknown; items?: { enum?: unknown[] } }>
  }
  // The example of a caller that needs fewer columns.
  for (const [name, { items, default: value }] of Object.entries(properties))
    if (items?.enum && value) delete base[name]
  const others = Object.entries(properties).flatMap(([name, { type, enum: choices, default: value, items }]) => {
    if (choices) return choices.map((choice) => ({ ...base, [name]: choice }))
    // Columns that a caller can leave out.
    if (type === 'array' && Array.isArray(value) && value.length > 1 && !items?.enum)
      return value.map((only) => ({ ...base, [name]: [only] }))
    return []
  })
  return [base, ...others]
}

function columnType(name: string, tables: Table[]): ColumnType {
  const cells = tables.flatMap(({ columns, rows }) => rows.map((row) => row[columns.indexOf(name)]))
  const types = [...new Set(cells.filter((cell) => cell !== null).map((cell) => typeof cell))].sort()
  return {
    name,
    types: types as ColumnType['types'],
    nullable: !tables.every((table) => table.stored !== undefined),
  }
}
