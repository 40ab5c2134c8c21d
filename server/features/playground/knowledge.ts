import type { CallReport, CompletionRequest, PlaygroundPrompt, PlaygroundResource } from '#contract/playground.ts'
import type { UserContext } from '../../context.ts'
import { AppError } from '../../http/errors.ts'
import { estimateTokens, withClient } from './hub-client.ts'
import { connectedTarget, type Hub } from './servers.ts'

const MAX_LISTED = 1_000

/** Resources and templates; empty for a server without them. */
export async function listResources(hub: Hub, ctx: UserContext, server: string) {
  const target = await connectedTarget(hub, ctx, server)
  const { answer } = await withClient(target, async (client) => {
    if (!client.getServerCapabilities()?.resources) return { resources: [], templates: [] }
    const [{ resources }, { resourceTemplates }] = await Promise.all([
      client.listResources(),
      client.listResourceTemplates(),
    ])
    return { resources: resources.slice(0, MAX_LISTED), templates: resourceTemplates.slice(0, MAX_LISTED) }
  })
  return answer as {
    resources: PlaygroundResource[]
    templates: (Omit<PlaygroundResource, 'uri'> & { uriTemplate: string })[]
  }
}

/** Reads a resource. The event informs the person's other tabs. */
export async function readResource(
  hub: Hub,
  ctx: UserContext,
  server: string,
  { uri, callId }: { uri: string; callId?: string | undefined },
) {
  const common = { serverName: server, ...(callId !== undefined && { callId }) }
  const target = await connectedTarget(hub, ctx, server)
  try {
    const { answer, call } = await withClient(target, (client) => client.readResource({ uri }))
    await hub.events.publish(ctx.actor, {
      type: 'resource',
      message: `Read ${uri}`,
      data: { name: server, uri, resource: answer.contents },
      ...common,
    })
    return { contents: answer.contents, call: withTokens(call, answer.contents) }
  } catch (cause) {
    const error = cause instanceof AppError ? cause : new AppError('internal_error', undefined, {}, { cause })
    await hub.events.publish(ctx.actor, {
      type: 'resource_error',
      message: `Could not read ${uri}`,
      data: { name: server, uri, error: error.message },
      ...common,
    })
    throw error
  }
}

export async function listPrompts(hub: Hub, ctx: UserContext, server: string): Promise<PlaygroundPrompt[]> {
  const target = await connectedTarget(hub, ctx, server)
  const { answer } = await withClient(target, async (client) =>
    client.getServerCapabilities()?.prompts ? (await client.listPrompts()).prompts : [],
  )
  return answer.slice(0, MAX_LISTED).map(({ name, description, arguments: args }) => ({
    name,
    ...(description !== undefined && { description }),
    arguments: args ?? [],
  }))
}

export async function getPrompt(
  hub: Hub,
  ctx: UserContext,
  server: string,
  prompt: { name: string; arguments: Record<string, string> },
) {
  const target = await connectedTarget(hub, ctx, server)
  const { answer, call } = await withClient(target, (client) => client.getPrompt(prompt))
  return { messages: answer.messages, call: withTokens(call, answer.messages) }
}

const MAX_VALUES = 100

/** The server's proposals for an argument, possibly none. */
export async function completeArgument(
  hub: Hub,
  ctx: UserContext,
  server: string,
  { ref, argument, given }: CompletionRequest,
): Promise<string[]> {
  const target = await connectedTarget(hub, ctx, server)
  const { answer } = await withClient(target, async (client) =>
    client.getServerCapabilities()?.completions
      ? (await client.complete({ ref, argument, context: { arguments: given } })).completion.values
      : [],
  )
  return answer.slice(0, MAX_VALUES)
}

const withTokens = (call: Omit<CallReport, 'tokens'>, content: unknown): CallReport => ({
  ...call,
  tokens: estimateTokens(content),
})
