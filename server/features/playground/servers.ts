import type { OfferedServer, PlaygroundServer, ServerConnection } from '#contract/playground.ts'
import type { UserContext } from '../../context.ts'
import { AppError } from '../../http/errors.ts'
import { findCallerOf } from '../keys/caller-of.ts'
import { changedTools } from './definitions.ts'
import type { PlaygroundEvents } from './events.ts'
import { withClient } from './hub-client.ts'
import { openSignIn } from './sign-in/provider.ts'
import { forgetKept, type Place, writeKept } from './sign-in/store.ts'
import {
  acceptDefinitions,
  type Connection,
  connectionsOf,
  countConnections,
  findConnection,
  removeConnection,
  saveConnection,
} from './store.ts'
import { findTarget, type HubDeps, OWN_SERVER, type Target } from './target.ts'

const NAME = /^[a-z0-9][a-z0-9._-]{0,62}$/i
const MAX_CONNECTIONS = 20

/** The context that every operation here receives. */
export interface Hub {
  deps: HubDeps
  events: PlaygroundEvents
}

/** The person's connections, and the operator's other servers. */
export async function listServers({ deps }: Hub, { actor }: UserContext) {
  const connections = await connectionsOf(deps.db.kysely, actor)
  const offered: OfferedServer[] = Object.entries(deps.config.PLAYGROUND_SERVERS ?? {}).map(([command, { title }]) => ({
    command,
    title,
  }))
  const { accountId, bucket } = actor
  const caller = { accountId, bucket, keyId: null, rateLimitPerMinute: null }
  return {
    servers: connections.flatMap((connection) => {
      // A server that the operator no longer offers is disconnected.
      const target = reachable(deps, connection, caller)
      return target ? [present(connection, target)] : []
    }),
    offered,
    urlsAllowed: deps.config.PLAYGROUND_URLS === 'on',
    chatModel: deps.config.CHAT_MODEL ?? null,
  }
}

/** Connects the person to a server after one successful exchange. `args` must be empty: they would be for a program. */
export async function connectServer(
  hub: Hub,
  { actor, ip }: UserContext,
  name: string,
  { command, args, ...given }: ServerConnection,
): Promise<PlaygroundServer> {
  const { deps, events } = hub
  const db = deps.db.kysely
  if (!NAME.test(name))
    throw new AppError('invalid_parameter', 'server: use letters, digits, dots, dashes and underscores, at most 63.', {
      param: 'server',
    })
  if (args.length > 0)
    throw new AppError('invalid_parameter', 'args must be empty: the playground never starts a program.', {
      param: 'args',
    })
  const wanted = name === OWN_SERVER ? '' : command
  if (name === OWN_SERVER && command !== '' && command !== OWN_SERVER)
    throw new AppError(
      'invalid_parameter',
      `server: the name ${OWN_SERVER} is reserved for this installation's server.`,
      {
        param: 'server',
      },
    )
  const place = { accountId: actor.accountId, userId: actor.userId, name, command: wanted }
  const found = findTarget(deps, wanted, await findCallerOf(deps.db, actor.accountId, null, ip))
  if (!(await findConnection(db, actor, name)) && (await countConnections(db, actor)) >= MAX_CONNECTIONS)
    throw new AppError('conflict', `At most ${MAX_CONNECTIONS} servers can be connected. Disconnect one first.`)
  if (!found.own) await keepGiven(deps, place, given)
  const target = await withSignIn(deps, found, place)
  const { protocolVersion } = await withClient(target, (client) => client.ping().catch(ignoreMissingPing))
  await saveConnection(db, actor, { name, command: wanted, protocolVersion })
  await events.publish(actor, { type: 'connected', message: `Connected to ${name}`, data: { name }, serverName: name })
  return present((await findConnection(db, actor, name))!, target)
}

/** Protocol 2026-07-28 has no ping; connecting has already reached the server. */
function ignoreMissingPing(): object {
  return {}
}

/** Throws not_found. */
export async function disconnectServer({ deps, events }: Hub, { actor }: UserContext, name: string): Promise<void> {
  if (!(await removeConnection(deps.db.kysely, actor, name))) throw notConnected(name)
  await forgetKept(deps, actor, name)
  await events.publish(actor, {
    type: 'disconnected',
    message: `Disconnected from ${name}`,
    data: { name },
    serverName: name,
  })
}

/** Marks the current definitions as read. Throws not_found. */
export async function acceptChanges(hub: Hub, ctx: UserContext, name: string): Promise<PlaygroundServer> {
  const db = hub.deps.db.kysely
  const target = await connectedTarget(hub, ctx, name)
  await acceptDefinitions(db, ctx.actor, name)
  return present((await findConnection(db, ctx.actor, name))!, target)
}

/** The target of one of the person's connections, for calls charged to `keyId`. Throws not_found, forbidden. */
export async function connectedTarget(
  { deps }: Hub,
  { actor, ip }: UserContext,
  name: string,
  keyId?: string | null,
): Promise<Target> {
  const connection = await findConnection(deps.db.kysely, actor, name)
  if (!connection) throw notConnected(name)
  const found = findTarget(deps, connection.command, await findCallerOf(deps.db, actor.accountId, keyId ?? null, ip))
  const { accountId, userId } = actor
  return withSignIn(deps, found, { accountId, userId, name, command: connection.command })
}

/** A server with the operator's credential needs none from the person. */
async function withSignIn(deps: HubDeps, target: Target, place: Place): Promise<Target> {
  if (target.own || Object.keys(target.headers).length > 0) return target
  const signIn = await openSignIn(deps, place)
  return { ...target, headers: signIn.headers, signIn }
}

async function keepGiven(
  deps: HubDeps,
  place: Place,
  { headers, clientId, clientSecret }: Omit<ServerConnection, 'command' | 'args'>,
): Promise<void> {
  if (!headers && !clientId) return
  const client = clientId && { client_id: clientId, ...(clientSecret && { client_secret: clientSecret }) }
  await writeKept(deps, place, { ...(headers && { headers }), ...(client && { client }) }, null)
}

const notConnected = (name: string): AppError =>
  new AppError('not_found', `The server ${name.slice(0, 63)} is not connected. Connect it first.`)

function reachable(deps: HubDeps, { command }: Connection, caller: Parameters<typeof findTarget>[2]): Target | null {
  try {
    return findTarget(deps, command, caller)
  } catch {
    return null
  }
}

function present(
  { name, protocolVersion, definitionsRead, definitionsSeen }: Connection,
  { endpoint }: Target,
): PlaygroundServer {
  const changed = changedTools(definitionsRead, definitionsSeen)
  return {
    name,
    connected: true,
    endpoint,
    protocolVersion,
    definitionsChanged: changed.length > 0,
    changedTools: changed,
  }
}
