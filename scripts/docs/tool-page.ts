import { type ErrorCode, errorCatalog } from '../../contract/errors.ts'
import { errorsOfBodies, errorsOfCalls, errorsOfUpstreams } from '../../server/features/site/openapi-problems.ts'
import type { Tool } from '../../server/features/tools/define-tool.ts'
import { placesOf } from '../../server/features/tools/input/input-places.ts'
import { priceText } from '../../server/features/tools/listing/price-text.ts'
import { markDeprecated } from '../../server/features/tools/listing/retirement.ts'
import {
  type JsonSchema,
  type RegisteredTool,
  toMcpTool,
  withDefaults,
} from '../../server/features/tools/register-tool.ts'
import { deprecationText } from '../../server/http/deprecation.ts'
import { aboutText, docsCall } from './call-fields.ts'
import { LESS_COMMON } from './markdown.ts'
import { codeSpan, plainLine } from './plain-text.ts'
import { requestBlock } from './request-example.ts'
import { requestExample } from './request-of.ts'
import type { SourcePage } from './site-page.ts'

export const referencePath = (tool: Tool) => `/docs/reference/${tool.name}`

interface ToolPageParts {
  group: string
  /** One sentence of plain text. */
  description: string
  /** Further paragraphs of Markdown. */
  about: string
  /** The section with an answer. */
  answer: string[]
  /** What readers also call its subject, for search. */
  names?: string | undefined
  /** Sections before the errors. */
  more?: string[]
}

/** The page of a tool: endpoint, MCP form, price, parameters, an answer, errors. Descriptions in its schema are Markdown. */
export function toolPage(
  entry: RegisteredTool,
  { group, description, about, answer, names, more = [] }: ToolPageParts,
): SourcePage {
  const { tool } = entry
  return {
    path: referencePath(tool),
    title: tool.title,
    description,
    group,
    label: tool.title,
    names: [tool.name, tool.rest?.path, names].filter(Boolean).join(' '),
    call: docsCall(entry) ?? undefined,
    markdown: [
      tool.deprecated ? `> ${deprecationText(tool.deprecated)} See [deprecation](/docs/deprecation).` : '',
      facts(tool),
      about,
      ...request(entry),
      ...answer,
      ...mcp(entry),
      ...more,
      '## Errors',
      ...errorSections(tool),
    ]
      .filter(Boolean)
      .join('\n\n'),
  }
}

function facts(tool: Tool): string {
  const rows = [
    tool.rest && `| Endpoint | ${endpointOf(tool)} |`,
    tool.mcp !== false && `| MCP tool | \`${tool.name}\` |`,
    `| Price | ${priceText(tool.credits)}${tool.kind === 'table' && tool.credits.credits > 0 ? '; free if the response has no rows' : ''} |`,
    tool.plans && tool.plans.length > 0 && `| Plans | ${tool.plans.map((plan) => cell(plainLine(plan))).join(', ')} |`,
  ].filter(Boolean)
  return `|  |  |\n| --- | --- |\n${rows.join('\n')}`
}

function request(entry: RegisteredTool): string[] {
  const { tool } = entry
  if (!tool.rest) return []
  const example = requestExample(entry.tool)
  const shared =
    tool.kind === 'table'
      ? 'Every endpoint that returns a table also accepts the [format parameters](/docs/formats-and-paging).'
      : ''
  const paging = tool.whole ? `**Paging.** ${tool.whole} The response is always complete; there is no cursor.` : ''
  return [
    '## Request',
    example ? requestBlock(example) : '',
    '## Parameters',
    parameterTable(entry),
    paging,
    shared,
  ].filter(Boolean)
}

/** The parameters of the REST call; with `only`, those of these names. */
export function parameterTable(entry: RegisteredTool, only?: ReadonlySet<string>): string {
  const { tool, inputSchema } = entry
  const schema = markDeprecated(withDefaults(inputSchema, tool.rest!.defaults), tool)
  return inputTable(schema, (input) => {
    const name = tool.rest!.names?.[input] ?? input
    return only && !only.has(name) ? null : { name, place: placesOf(entry).get(name) ?? '' }
  })
}

function inputTable(schema: JsonSchema, named: (input: string) => { name: string; place: string } | null): string {
  const required = new Set(schema.required as string[] | undefined)
  const rows = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>).flatMap(([input, field]) => {
    const shown = named(input)
    if (!shown) return []
    const need =
      required.has(input) && field.default === undefined
        ? 'required'
        : field.default === undefined
          ? 'optional'
          : `default ${cell(codeSpan(defaultText(field.default)))}`
    return [
      `| ${cell(codeSpan(shown.name))} | ${[shown.place, need].filter(Boolean).join(', ')} | ${cell(aboutText(field))} |`,
    ]
  })
  if (rows.length === 0) return 'None.'
  return `| Name | Where | What |\n| --- | --- | --- |\n${rows.join('\n')}`
}

const defaultText = (value: unknown) => (Array.isArray(value) ? value.map(oneText).join(',') || '[]' : oneText(value))
const oneText = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value))
/** Text of Markdown in a cell. A bar ends its cell unless an odd number of backslashes stands before it, also in code. */
export const cell = (text: string) =>
  text
    .replaceAll(/(\\*)\|/g, (_, before: string) => `${before}${before.length % 2 === 0 ? '' : '\\'}\\|`)
    .replaceAll('\n', ' ')

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
    tool.rest ? '' : inputTable(inputSchema, (name) => ({ name, place: '' })),
    `\`\`\`json\n${JSON.stringify(call, null, 2)}\n\`\`\``,
    'The receipt and the credits charged are in `_meta` of the result. [Connect a client](/docs/mcp-clients).',
  ].filter(Boolean)
}

export const endpointOf = ({ rest }: Tool): string => (rest ? cell(codeSpan(`${rest.method} ${rest.path}`)) : '')

/** The errors that a call of this tool can return, each code once. */
function errorsOf(tool: Tool): ErrorCode[] {
  const bodies = [...placesOf({ tool }).values()].includes('body') ? errorsOfBodies : []
  return [...new Set([...(tool.errors ?? []), ...(tool.upstream ? errorsOfUpstreams : errorsOfCalls), ...bodies])]
}

/** What callers of every tool meet sooner or later. */
const common = new Set<ErrorCode>([
  'invalid_parameter',
  'key_missing',
  'key_invalid',
  'insufficient_credits',
  'rate_limited',
  'upstream_failed',
])

/** The common errors and those that this tool names, then all others. */
function errorSections(tool: Tool): string[] {
  const isFirst = (code: ErrorCode) => common.has(code) || Boolean(tool.errors?.includes(code))
  const codes = errorsOf(tool)
  return [errorTable(codes.filter(isFirst)), `### ${LESS_COMMON}`, errorTable(codes.filter((code) => !isFirst(code)))]
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
