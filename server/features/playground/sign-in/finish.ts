import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { PlaygroundServer, SignInAnswer } from '#contract/playground.ts'
import type { UserContext } from '../../../context.ts'
import { AppError } from '../../../http/errors.ts'
import { explain, fetchOf } from '../hub-client.ts'
import { connectServer, type Hub } from '../servers.ts'
import { findTarget } from '../target.ts'
import { openSignIn } from './provider.ts'
import { takeState } from './store.ts'

/**
 * Completes the sign-in at another MCP server with its authorization response, and connects. The state is bound to the
 * person who started, so a link from someone else signs nobody in. Throws not_found, upstream_failed.
 */
export async function finishSignIn(
  hub: Hub,
  ctx: UserContext,
  { state, ...answer }: SignInAnswer,
): Promise<PlaygroundServer> {
  const place = await takeState(hub.deps, ctx.actor, state)
  if (!place) throw new AppError('not_found', 'This sign-in has ended or expired. Connect again.')
  const { accountId, bucket } = ctx.actor
  const caller = { accountId, bucket, keyId: null, rateLimitPerMinute: null }
  const signIn = await openSignIn(hub.deps, place, 'finish')
  const target = { ...findTarget(hub.deps, place.command, caller), signIn }
  const transport = new StreamableHTTPClientTransport(target.url, { fetch: fetchOf(target), authProvider: signIn })
  try {
    await transport.finishAuth(new URLSearchParams(Object.entries(answer).filter(([, value]) => value !== undefined)))
    await signIn.done()
  } catch (error) {
    throw explain(error, target)
  } finally {
    await transport.close().catch(() => {})
  }
  return connectServer(hub, ctx, place.name, { command: place.command, args: [] })
}
