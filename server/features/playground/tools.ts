import type { ToolAnnotations } from '@modelcontextprotocol/client'
import type { CallReport, PlaygroundTool, ToolHints, ToolResult } from '#contract/playground.ts'
import type { UserContext } from '../../context.ts'
import { AppError } from '../../http/errors.ts'
import { hashDefinitions } from './definitions.ts'
import { estimateTokens, withClient } from './hub-client.ts'
import { connectedTarget, type Hub } from './servers.ts'
import { noteDefinitions } from './store.ts'

const MAX_TOOLS = 500

/** The tools of a connected server. Their definitions are stored, so that changes can be reported. */
export async function listTools(hub: Hub, ctx: UserContext, server: string): Promise<PlaygroundTool[]> {
  const target = await connectedTarget(hub, ctx, server)
  const { answer } = await withClient(target, (client) => client.listTools())
  const tools = answer.tools.slice(0, MAX_TOOLS)
  await noteDefinitions(hub.deps.db.kysely, ctx.actor, server, hashDefinitions(tools))
  await hub.events.publish(ctx.actor, {
    type: 'tools',
    message: `${tools.length} tools available`,
    data: { name: server, result: tools.length },
    serverName: server,
  })
  return tools.map((tool) => ({
    name: tool.name,
    ...(tool.title !== undefined && { title: tool.title }),
    ...(tool.description !== undefined && { description: tool.description }),
    inputSchema: tool.inputSchema as Record<string, unknown>,
    ...(tool.outputSchema && { outputSchema: tool.outputSchema as Record<string, unknown> }),
    ...(tool.annotations && { hints: hintsOf(tool.annotations) }),
    serverName: server,
    ...(tool._meta?.['finmeter/credits'] !== undefined && { credits: tool._meta['finmeter/credits'] }),
    ...(tool._meta?.['finmeter/streams'] === true && { streams: true }),
    ...(Array.isArray(tool._meta?.['finmeter/plans']) && { plans: tool._meta['finmeter/plans'].map(String) }),
    tokens: estimateTokens(tool),
  }))
}

/** A server's hints about a tool's effects; anything other than true or false is dropped. */
const hintsOf = ({ readOnlyHint, destructiveHint, idempotentHint }: ToolAnnotations): ToolHints =>
  Object.fromEntries(
    Object.entries({ readOnly: readOnlyHint, destructive: destructiveHint, idempotent: idempotentHint }).filter(
      ([, value]) => typeof value === 'boolean',
    ),
  )

export interface ToolCall {
  server: string
  tool: string
  arguments: Record<string, unknown>
  keyId?: string | null | undefined
  callId?: string | undefined
  inputResponses?: Record<string, unknown> | undefined
  requestState?: string | undefined
}

/** Calls a tool as any client would. A failing tool is a result with `isError`; only a failing server throws. */
export async function callTool(
  hub: Hub,
  ctx: UserContext,
  { server, tool, arguments: args, keyId, callId, inputResponses, requestState }: ToolCall,
): Promise<{ result: ToolResult; call: CallReport }> {
  const target = await connectedTarget(hub, ctx, server, keyId)
  const common = { serverName: server, ...(callId !== undefined && { callId }) }
  try {
    const { answer, call } = await withClient(target, async (client) => {
      // A definition may require arguments to be sent as headers too (x-mcp-header); the client reads that from the
      // list.
      if (!target.own) await client.listTools()
      const answers = {
        ...(inputResponses && { inputResponses }),
        ...(requestState !== undefined && { requestState }),
      }
      return client.callTool({ name: tool, arguments: args, ...answers }, { allowInputRequired: true })
    })
    // A tool that asks back has no content yet.
    const result: ToolResult = Object.assign({ content: [] }, answer)
    const error = result.isError ? textOf(result) : undefined
    await hub.events.publish(ctx.actor, {
      ...common,
      type: result.isError ? 'tool_error' : 'tool_result',
      message: `${tool} ${result.isError ? 'failed' : result.resultType === 'input_required' ? 'asks back' : 'answered'}`,
      data: { name: server, toolName: tool, ...(error === undefined ? { result } : { error }) },
    })
    return { result, call: { ...call, tokens: estimateTokens(result.content) } }
  } catch (cause) {
    const error = cause instanceof AppError ? cause : new AppError('internal_error', undefined, {}, { cause })
    await hub.events.publish(ctx.actor, {
      ...common,
      type: 'tool_error',
      message: `${tool} failed`,
      data: { name: server, toolName: tool, error: error.message },
    })
    throw error
  }
}

/** A tool's message about its failure. */
const textOf = ({ content }: ToolResult): string =>
  content
    .map((block) => (block.type === 'text' && typeof block.text === 'string' ? block.text : ''))
    .filter(Boolean)
    .join('\n') || 'The tool failed without a message.'
