import type { MarketData } from '../../server/features/market-data/market-data.ts'
import type { Tool, ToolContext } from '../../server/features/tools/define-tool.ts'

const ROWS_SHOWN = 3

/** Runs a tool with the data that it reads in memory. */
export type LoadData = <T>(work: () => T) => T | Promise<Awaited<T>>

class NeedsService extends Error {}

/** Stands in for dependencies that the build does not have: using one cancels the example. */
const absent = new Proxy(
  {},
  {
    get: () => {
      throw new NeedsService()
    },
  },
)

/**
 * What the tool's example really answers on this data, shortened to a few rows. Null when the tool has no example, or needs the
 * database. Throws when the example fails: a reference page must not show a call that does not work.
 */
export async function runExample(tool: Tool, market: MarketData, load: LoadData = (work) => work()): Promise<unknown> {
  if (!tool.example || 'jsonSchema' in tool.input || 'jsonSchema' in tool.output) return null
  const context = {
    deps: { config: absent, db: absent, tools: absent },
    caller: absent,
    market,
    signal: new AbortController().signal,
  } as unknown as ToolContext
  try {
    const input = tool.input.parse({ ...tool.rest?.defaults, ...tool.example })
    const { output } = tool
    const finish = (made: unknown) => shortened(output.parse(made))
    // Rows are read from memory when they are checked.
    return await load(() => {
      const made: unknown = tool.run(input, context)
      return made instanceof Promise ? made.then(finish) : finish(made)
    })
  } catch (error) {
    if (error instanceof NeedsService) return null
    throw new Error(`The example of ${tool.name} fails.`, { cause: error })
  }
}

function shortened(output: unknown): unknown {
  const table = output as { rows?: unknown[] }
  return Array.isArray(table.rows) ? { ...table, rows: table.rows.slice(0, ROWS_SHOWN) } : output
}
