import type { MarketData } from '../../server/features/market-data/market-data.ts'
import type { Tool } from '../../server/features/tools/define-tool.ts'
import type { RegisteredTool } from '../../server/features/tools/register-tool.ts'
import { answerSection } from './reference-page.ts'
import { type LoadData, runExample } from './run-example.ts'

/** The data of an installation. */
export interface Installed {
  /** All of it. */
  whole: MarketData
  /** What anybody may read, so that a page may show it. */
  open: MarketData
  load: LoadData
}

/** A tool of the product whose own example asks for data that this installation does not have. */
export interface Fitted {
  /** With another example, or without one. */
  entry: RegisteredTool
  answer: string[]
}

/** The tools whose examples had to change, by name. */
export async function installedExamples(
  all: readonly RegisteredTool[],
  { whole, open, load }: Installed,
): Promise<Map<string, Fitted>> {
  const fitted = new Map<string, Fitted>()
  for (const entry of all) {
    const { tool } = entry
    if (tool.upstream || !tool.example || (await outputOf(tool, whole, load)) !== FAILED) continue
    fitted.set(tool.name, await adapt(entry, { whole, open, load }))
  }
  return fitted
}

async function adapt(entry: RegisteredTool, { whole, open, load }: Installed): Promise<Fitted> {
  for (const market of [open, whole])
    for (const example of examplesFrom(entry.tool.example!, market)) {
      const tool = { ...entry.tool, example }
      const output = await outputOf(tool, market, load)
      if (output !== FAILED)
        return { entry: { ...entry, tool }, answer: market === open ? answerSection(tool, output) : [] }
    }
  const { example: _, ...tool } = entry.tool
  return { entry: { ...entry, tool }, answer: [] }
}

const FAILED = Symbol('failed')

/** The shortened output; null for a tool that needs more than data. An example that finds nothing shows nothing. */
async function outputOf(tool: Tool, market: MarketData, load: LoadData): Promise<unknown> {
  try {
    const output = await runExample(tool, market, load)
    return (output as { rows?: unknown[] } | null)?.rows?.length === 0 ? FAILED : output
  } catch {
    return FAILED
  }
}

const MOST_NAMES = 3

/** The same example with names that this data has, one symbol for each that it names, or without a name that it can do without. */
function examplesFrom(example: Record<string, unknown>, market: MarketData): Record<string, unknown>[] {
  const symbols = market.catalog.instruments.map(({ manifest }) => manifest.symbol)
  const names: Record<string, readonly string[]> = {
    symbol: [...symbols.slice(0, MOST_NAMES), ...[...market.companies.keys()].slice(0, MOST_NAMES)],
    series_id: [...new Set([...market.series.values()].map(({ id }) => id))].slice(0, MOST_NAMES),
    id: market.manifests.map(({ id }) => id).slice(0, MOST_NAMES),
    query: [...symbols, ...market.series.keys()].slice(0, MOST_NAMES),
    kind: [...new Set(market.manifests.map(({ kind }) => kind))],
  }
  const { benchmark: _, ...kept } = example
  const listed = Array.isArray(kept.symbols) && { symbols: symbols.slice(0, kept.symbols.length) }
  const inputs = Object.keys(kept).filter((name) => names[name])
  if (inputs.length === 0) return listed && symbols.length > 0 ? [{ ...kept, ...listed }] : []
  return inputs.flatMap((input) => {
    const { [input]: _, ...others } = kept
    return [...names[input]!.map((name) => ({ ...kept, [input]: name })), others]
  })
}
