import type { PlaygroundTool } from '#contract/playground.ts'
import { ownServer } from '../../own-server.ts'
import type { Suggestion } from './suggestions.ts'

/** The specification's examples, which come after what is for sale. */
const examples = ['add', 'echo', 'timestamp']

/** The tools that come with the product: the chat's questions are about them. */
const builtIn = new Set([
  ...examples,
  ...['analyze_portfolio', 'compute_indicator', 'convert_currency', 'get_bars', 'get_bars_batch', 'get_company'],
  ...['get_corporate_actions', 'get_dataset', 'get_economic_series', 'get_financials', 'get_fx_rates'],
  ...['get_market_calendar', 'get_quote', 'get_status', 'get_usage', 'list_datasets', 'list_series'],
  ...['price_option', 'screen_stocks', 'search_symbols', 'summarize_prices'],
])

const isOwn = ({ name, serverName }: PlaygroundTool) => serverName === ownServer && !builtIn.has(name)

/** The operator's own tools first, the examples last. */
export const byInterest = (tools: readonly PlaygroundTool[]): PlaygroundTool[] => {
  const rank = (tool: PlaygroundTool) =>
    isOwn(tool) ? 0 : tool.serverName === ownServer && examples.includes(tool.name) ? 2 : 1
  return tools.toSorted((a, b) => rank(a) - rank(b))
}

/** Questions that call the operator's own tools with the examples of their definitions, or else open their forms. */
export const ownIdeas = (tools: readonly PlaygroundTool[]): Suggestion[] =>
  tools
    .filter((tool) => isOwn(tool) && (!tool.hints?.destructive || tool.hints.readOnly))
    .map(({ name, title, inputSchema }): Suggestion => {
      const args = exampleArguments(inputSchema)
      const line = title ?? name.replaceAll('_', ' ')
      return args ? { line, tool: name, arguments: args } : { line, form: name }
    })

/** Null if a required argument has no example. */
function exampleArguments(schema: Record<string, unknown>): Record<string, unknown> | null {
  const required = Array.isArray(schema.required) ? schema.required.map(String) : []
  const properties = (schema.properties ?? {}) as Record<string, Example | undefined>
  const args = required.map((name): [string, unknown] => {
    const { example, examples, default: standard, enum: choices } = properties[name] ?? {}
    return [name, example ?? first(examples) ?? standard ?? first(choices)]
  })
  return args.every(([, value]) => value !== undefined) ? Object.fromEntries(args) : null
}

interface Example {
  example?: unknown
  examples?: unknown
  default?: unknown
  enum?: unknown
}

const first = (values: unknown): unknown => (Array.isArray(values) ? values[0] : undefined)
