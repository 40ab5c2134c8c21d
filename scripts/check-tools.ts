/**
 * Every tool that is defined is valid and has its place in a list that is served, its path a first segment that no upstream can take, and
 * the MCP list room for it.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { registerTool, toMcpTool } from '../server/features/tools/register-tool.ts'
import { problemsOf } from '../server/features/tools/registry.ts'
import { reservedUpstreamIds } from '../server/features/tools/reserved-upstream-ids.ts'
import { productTools } from '../server/product-tools.ts'

/** By the tokenizer of current models (o200k): a list that models read before every answer. */
const MOST_LIST_TOKENS = 6_000

const served = new Set(productTools.map(({ name }) => name))
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'server/features/*.ts'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && !/\.test\.ts$|\/testing\//.test(file))
const defined = files.flatMap((file) =>
  [...readFileSync(file, 'utf8').matchAll(/defineTool\(\{(?:(?!defineTool)[\s\S])*?\n\s+name: '(\w+)'/g)].map(
    ([, name]) => ({
      file,
      name: name!,
    }),
  ),
)
const names = new Set(defined.map(({ name }) => name))
const listed = productTools.filter(({ mcp }) => mcp !== false).map((tool) => toMcpTool(registerTool(tool, 0)))
const tokens = (value: unknown) => encode(JSON.stringify(value)).length
const total = tokens(listed)
const sizes = listed.map((tool) => ({ name: tool.name, size: tokens(tool) }))
const largest = sizes.toSorted((one, other) => other.size - one.size).slice(0, 5)
const problems = [
  ...problemsOf(productTools, []).map(({ problem }) => problem),
  ...defined
    .filter(({ name }) => !served.has(name))
    .map(({ file, name }) => `${file}: ${name} is in no list of tools, such as server/features/market-data/tools.ts`),
  // Otherwise the search finds nothing, and nothing is ever missing.
  ...productTools
    .filter(({ name }) => !names.has(name))
    .map(({ name }) => `No file defines ${name} by defineTool({ name: '${name}', ... })`),
  ...productTools.flatMap(({ name, rest }) => {
    const segment = rest?.path.split('/')[2]
    return segment === undefined || reservedUpstreamIds.has(segment)
      ? []
      : [`server/features/tools/reserved-upstream-ids.ts lacks ${segment}, the first segment of the path of ${name}`]
  }),
]
if (total >= MOST_LIST_TOKENS)
  problems.push(
    `The MCP tool list takes ${total} tokens; it must take fewer than ${MOST_LIST_TOKENS}. Set mcp: false, shorten descriptions, or leave inputs out with mcp.unlisted. The largest: ${largest.map(({ name, size }) => `${name} ${size}`).join(', ')}`,
  )
for (const problem of problems) console.error(problem)
console.log(`${defined.length} tools; the MCP list takes ${total} of ${MOST_LIST_TOKENS} tokens`)
process.exitCode = problems.length > 0 ? 1 : 0
