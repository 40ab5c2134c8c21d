import { type ErrorCode, errorCatalog } from '../../contract/errors.ts'
import type { MarketData } from '../../server/features/market-data/market-data.ts'
import { marketDataTools } from '../../server/features/market-data/tools.ts'
import { errorsOfBodies, errorsOfCalls } from '../../server/features/site/openapi-problems.ts'
import { basicTools } from '../../server/features/tools/basic/basic-tools.ts'
import type { Table, Tool } from '../../server/features/tools/define-tool.ts'
import { priceText } from '../../server/features/tools/price-text.ts'
import {
  type JsonSchema,
  type RegisteredTool,
  registerTool,
  toMcpTool,
  withDefaults,
} from '../../server/features/tools/register-tool.ts'
import { markDeprecated } from '../../server/features/tools/retirement.ts'
import { getUsage } from '../../server/features/usage/get-usage.ts'
import { deprecationText } from '../../server/http/deprecation.ts'
import { aboutText, docsCall } from './call-fields.ts'
import { exampleAnswer } from './example-answer.ts'
import { pathNames, placeOf } from './place-of.ts'
import { type RequestExample, requestBlock } from './request-example.ts'
import type { SourcePage } from './site-page.ts'

/** Every tool of the product as REST and MCP list it. The number 0, used only in usage rows, does not matter here. */
export const documentedTools = (): RegisteredTool[] =>
  [...marketDataTools, getUsage, ...basicTools].map((tool) => registerTool(tool, 0))

export const referencePath = (tool: Tool) => `/docs/reference/${tool.name}`

/** The list of all tools, then one page for each: endpoint, MCP form, price, parameters, a real answer, errors. */
export async function referencePages(entries: RegisteredTool[], market: MarketData): Promise<SourcePage[]> {
  const pages = await Promise.all(
    entries.map(async (entry): Promise<SourcePage> => {
      const { tool } = entry
      return {
        path: referencePath(tool),
        title: tool.title,
        description: firstSentence(tool.description),
        group: 'API reference',
        label: tool.title,
        call: docsCall(entry) ?? undefined,
        markdown: [
          tool.deprecated ? `> ${deprecationText(tool.deprecated)} See [deprecation](/docs/deprecation).` : '',
          facts(tool),
          withoutPrice(tool.description.slice(firstSentence(tool.description).length).trim()),
          ...request(entry),
          ...answer(tool, await exampleAnswer(tool, market)),
          ...mcp(entry),
          '## Errors',
          errorTable(errorsOf(tool)),
        ]
          .filter(Boolean)
          .join('\n\n'),
      }
    }),
  )
  return [overview(entries), ...pages]
}

/** Agents read the price in the description; a page shows it separately. */
const withoutPrice = (text: string) => text.replace(/(^| )(Free|\d+ credits?\b[^.]*)\.$/, '')

const firstSentence = (text: string) => /^.*?[.](?= |$)/.exec(text)?.[0] ?? text

function overview(entries: RegisteredTool[]): SourcePage {
  const rows = entries.map(
    ({ tool }) =>
      `| [${tool.title}](${referencePath(tool)}) | ${tool.rest ? `\`${tool.rest.method} ${tool.rest.path}\`` : ''} | ${tool.mcp === false ? '' : `\`${tool.name}\``} | ${priceText(tool.credits)} |`,
  )
  return {
    path: '/docs/reference',
    title: 'API reference',
    description: 'Every endpoint of the REST API and every tool of the MCP server, with its price.',
    group: 'API reference',
    label: 'All endpoints and tools',
    markdown: [
      'An endpoint and its tool share one definition, one price and one usage log. The machine-readable form is [/openapi.json](/openapi.json).',
      '| Name | Endpoint | Tool | Price |\n| --- | --- | --- | --- |\n'.concat(rows.join('\n')),
    ].join('\n\n'),
  }
}

function facts(tool: Tool): string {
  const rows = [
    tool.rest && `| Endpoint | \`${tool.rest.method} ${tool.rest.path}\` |`,
    tool.mcp !== false && `| MCP tool | \`${tool.name}\` |`,
    `| Price | ${priceText(tool.credits)}${tool.kind === 'table' && tool.credits.credits > 0 ? '; free if the response has no rows' : ''} |`,
  ].filter(Boolean)
  return `|  |  |\n| --- | --- |\n${rows.join('\n')}`
}

function request({ tool, inputSchema }: RegisteredTool): string[] {
  if (!tool.rest) return []
  const schema = markDeprecated(withDefaults(inputSchema, tool.rest.defaults), tool)
  const table = parameterTable(schema, (input) => {
    const name = tool.rest!.names?.[input] ?? input
    return { name, place: placeOf(tool, name) }
  })
  const example = requestExample(tool)
  const shared =
    tool.kind === 'table'
      ? 'Every endpoint that returns a table also accepts the [format parameters](/docs/formats-and-paging).'
      : ''
  const paging = tool.whole ? `**Paging.** ${tool.whole} The response is always complete; there is no cursor.` : ''
  return ['## Request', example ? requestBlock(example) : '', '## Parameters', table, paging, shared].filter(Boolean)
}

/** The REST request of the tool's example; null without one. Lists are joined by commas in a query. */
export function requestExample({ rest, example }: Tool): RequestExample | null {
  if (!rest || !example) return null
  const inPath = pathNames(rest.path)
  const named = Object.entries(example).map(([input, value]) => [rest.names?.[input] ?? input, value] as const)
  let path = rest.path
  for (const [name, value] of named) path = path.replace(`{${name}}`, encodeURIComponent(String(value)))
  const others = named.filter(([name]) => !inPath.has(name))
  if (rest.method === 'POST') return { path, body: Object.fromEntries(others) }
  const query = others.map(([name, value]) => `${name}=${queryText(value)}`).join('&')
  return { path: query ? `${path}?${query}` : path }
}

const queryText = (value: unknown) =>
  [value]
    .flat()
    .map((item) => encodeURIComponent(String(item)))
    .join(',')

function parameterTable(schema: JsonSchema, named: (input: string) => { name: string; place: string }): string {
  const required = new Set(schema.required as string[] | undefined)
  const rows = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>).map(([input, field]) => {
    const { name, place } = named(input)
    const need =
      required.has(input) && field.default === undefined
        ? 'required'
        : field.default === undefined
          ? 'optional'
          : `default \`${defaultText(field.default)}\``
    return `| \`${name}\` | ${[place, need].filter(Boolean).join(', ')} | ${cell(aboutText(field))} |`
  })
  if (rows.length === 0) return 'None.'
  return `| Name | Where | What |\n| --- | --- | --- |\n${rows.join('\n')}`
}

const defaultText = (value: unknown) => (Array.isArray(value) ? value.join(',') || '[]' : String(value))
const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

function answer(tool: Tool, output: unknown): string[] {
  if (!output || !tool.rest) return []
  const body = tool.kind === 'table' ? restTable(output as Table) : { data: output, meta: {}, next_cursor: null }
  return [
    '## Response',
    tool.kind === 'table'
      ? 'The response to the request above on the demonstration data, shortened to the first rows.'
      : 'The response to the request above.',
    `\`\`\`json\n${compactJson(body)}\n\`\`\``,
    'The headers show the cost: `X-Credits-Charged`, `X-Credits-Remaining`, `X-Receipt-Id`.',
  ]
}

const restTable = ({ columns, rows, meta, next_cursor }: Table) => ({
  data: rows.map((row) => Object.fromEntries(row.map((value, index) => [columns[index]!, value]))),
  meta,
  next_cursor,
})

/** JSON with line breaks at two levels: each row and each fact has its own line. */
function compactJson(body: { data: unknown; meta: unknown; next_cursor: unknown }): string {
  const lines = (value: unknown): string => {
    if (Array.isArray(value))
      return value.length === 0 ? '[]' : `[\n${value.map((item) => `    ${JSON.stringify(item)}`).join(',\n')}\n  ]`
    const entries = Object.entries((value ?? {}) as object)
    return entries.length === 0
      ? '{}'
      : `{\n${entries.map(([name, item]) => `    ${JSON.stringify(name)}: ${JSON.stringify(item)}`).join(',\n')}\n  }`
  }
  return `{\n  "data": ${lines(body.data)},\n  "meta": ${lines(body.meta)},\n  "next_cursor": ${JSON.stringify(body.next_cursor)}\n}`
}

function mcp(entry: RegisteredTool): string[] {
  const { tool } = entry
  if (tool.mcp === false) return []
  const { inputSchema } = toMcpTool(entry)
  const call = { method: 'tools/call', params: { name: tool.name, arguments: tool.example ?? {} } }
  const differing = Object.entries(tool.mcp?.defaults ?? {})
  return [
    '## As an MCP tool',
    tool.rest
      ? `\`${tool.name}\` takes the same inputs${differing.length > 0 ? `, with other defaults: ${differing.map(([name, value]) => `\`${name}\` \`${defaultText(value)}\``).join(', ')}` : ''}.`
      : 'Inputs (try them in the [playground](/dashboard/playground)):',
    tool.rest ? '' : parameterTable(inputSchema, (name) => ({ name, place: '' })),
    `\`\`\`json\n${JSON.stringify(call, null, 2)}\n\`\`\``,
    'The receipt and the credits charged are in `_meta` of the result. [Connect a client](/docs/mcp-clients).',
  ].filter(Boolean)
}

/** The errors that a call of this tool can return, each code once. */
function errorsOf(tool: Tool): ErrorCode[] {
  const bodies = tool.rest?.method === 'POST' ? errorsOfBodies : []
  return [...new Set([...(tool.errors ?? []), ...errorsOfCalls, ...bodies])]
}

export function errorTable(codes: readonly ErrorCode[]): string {
  const rows = [...codes]
    .sort((a, b) => errorCatalog[a].status - errorCatalog[b].status)
    .map(
      (code) =>
        `| [\`${code}\`](/docs/errors/${code}) | ${errorCatalog[code].status} | ${cell(errorCatalog[code].text)} |`,
    )
  return `| Code | Status | Meaning |\n| --- | --- | --- |\n${rows.join('\n')}`
}
