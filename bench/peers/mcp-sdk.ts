/**
 * The stock stateless server of the MCP SDK: createMcpHandler, an McpServer per request, the official Node adapter. It
 * has one tool, or as many as the bench requests. It needs no key, charges nothing, and does none of the tool's work:
 * prepared results are only validated and serialized by the SDK.
 */
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, fromJsonSchema, McpServer } from '@modelcontextprotocol/server'
import type { McpPeerSetup } from '../wire.ts'
import { serve, setup } from './serve.ts'

type Schema = Parameters<typeof fromJsonSchema>[0]

interface ToolResult {
  content: { type: 'text'; text: string }[]
  structuredContent: Record<string, unknown>
}

const { tool, others, calls } = await setup<McpPeerSetup>()
const results = new Map(
  calls.map((call) => {
    const { content, structuredContent } = (JSON.parse(call.body) as { result: ToolResult }).result
    return [JSON.stringify(call.arguments), { content, structuredContent }]
  }),
)
const tools = [tool, ...others].map(({ name, title, description, inputSchema, outputSchema }) => ({
  name,
  config: {
    title,
    description,
    inputSchema: fromJsonSchema<Record<string, unknown>>(inputSchema as Schema),
    outputSchema: fromJsonSchema<Record<string, unknown>>(outputSchema as Schema),
  },
}))

const handler = createMcpHandler(() => {
  const server = new McpServer({ name: 'bench', version: '1.0.0' })
  for (const { name, config } of tools)
    server.registerTool(name, config, async (input) => {
      const result = results.get(JSON.stringify(input))
      if (!result) throw new Error('not recorded')
      return result
    })
  return server
})
const listener = toNodeHandler(handler)

serve((request, response) => void listener(request, response))
