import type { FastifyInstance } from 'fastify'
import { playgroundRoutes as routes } from '#contract/playground-routes.ts'
import type { Deps } from '../../deps.ts'
import { serve } from '../../http/envelope.ts'
import { AppError } from '../../http/errors.ts'
import type { McpDispatcher } from '../mcp/dispatcher.ts'
import { takeChatTurn } from './chat/take-turn.ts'
import { createPlaygroundEvents } from './events.ts'
import { completeArgument, getPrompt, listPrompts, listResources, readResource } from './knowledge.ts'
import { acceptChanges, connectServer, disconnectServer, type Hub, listServers } from './servers.ts'
import { clientDocument } from './sign-in/client-document.ts'
import { finishSignIn } from './sign-in/finish.ts'
import { waitingSignIn } from './sign-in/store.ts'
import { registerStream } from './stream.ts'
import { createTicket, TICKET_SECONDS } from './ticket.ts'
import { callTool, listTools } from './tools.ts'

/** The playground: a server-side MCP client for signed-in people. */
export async function registerPlayground(app: FastifyInstance, deps: Deps, mcp: McpDispatcher): Promise<void> {
  const events = createPlaygroundEvents(deps)
  const hub: Hub = { deps: { ...deps, mcp }, events }
  serve(app, deps, routes.listPlaygroundServers, ({ ctx }) => listServers(hub, ctx))
  serve(app, deps, routes.connectPlaygroundServer, async ({ ctx, input: { params, body } }) => ({
    server: await connectServer(hub, ctx, params.server, body),
  }))
  serve(app, deps, routes.getPlaygroundSignIn, async ({ ctx, input: { params } }) => {
    const url = await waitingSignIn(deps, ctx.actor, params.server)
    if (!url) throw new AppError('not_found', 'There is no pending sign-in for this server. Connect again.')
    return { url }
  })
  serve(app, deps, routes.finishPlaygroundSignIn, async ({ ctx, input: { body } }) => ({
    server: await finishSignIn(hub, ctx, body),
  }))
  app.get('/oauth/playground-client.json', async () => clientDocument(deps.config, deps.shop.current()))
  serve(app, deps, routes.disconnectPlaygroundServer, async ({ ctx, input: { params } }) => {
    await disconnectServer(hub, ctx, params.server)
    return { name: params.server, disconnected: true as const }
  })
  serve(app, deps, routes.acceptPlaygroundChanges, async ({ ctx, input: { params } }) => ({
    server: await acceptChanges(hub, ctx, params.server),
  }))
  serve(app, deps, routes.listPlaygroundTools, async ({ ctx, input: { params } }) => ({
    tools: await listTools(hub, ctx, params.server),
  }))
  serve(app, deps, routes.callPlaygroundTool, ({ ctx, input: { params, body } }) =>
    callTool(hub, ctx, { ...params, ...body }),
  )
  serve(app, deps, routes.listPlaygroundResources, ({ ctx, input: { params } }) =>
    listResources(hub, ctx, params.server),
  )
  serve(app, deps, routes.getPlaygroundResource, ({ ctx, input: { params, body } }) =>
    readResource(hub, ctx, params.server, body),
  )
  serve(app, deps, routes.listPlaygroundPrompts, async ({ ctx, input: { params } }) => ({
    prompts: await listPrompts(hub, ctx, params.server),
  }))
  serve(app, deps, routes.getPlaygroundPrompt, ({ ctx, input: { params, body } }) =>
    getPrompt(hub, ctx, params.server, body),
  )
  serve(app, deps, routes.completePlaygroundArgument, async ({ ctx, input: { params, body } }) => ({
    values: await completeArgument(hub, ctx, params.server, body),
  }))
  serve(app, deps, routes.getPlaygroundHealth, () => ({
    status: 'ok' as const,
    tools: deps.tools.current().mcpTools.length,
  }))
  serve(app, deps, routes.takeChatTurn, ({ ctx, input: { body } }) => takeChatTurn(hub, ctx, body))
  serve(app, deps, routes.createStreamTicket, async ({ ctx }) => ({
    ticket: await createTicket(ctx),
    expiresInSeconds: TICKET_SECONDS,
  }))
  registerStream(app, deps, events)
}
