import { randomUUID } from 'node:crypto'
import type { Deps } from '../../deps.ts'
import { CallRecord } from '../../http/call-record.ts'
import { AppError } from '../../http/errors.ts'
import { createGuardedFetch } from '../../net/guarded-fetch.ts'
import type { McpDispatcher } from '../mcp/dispatcher.ts'
import type { Caller } from '../metering/meter.ts'
import type { SignIn } from './sign-in/provider.ts'

/** The name of our own server, to which the playground connects automatically. */
export const OWN_SERVER = 'finmeter'

/** The target of a connection. */
export interface Target {
  /** The displayed name, never with a credential in it. */
  endpoint: string
  url: URL
  headers: Record<string, string>
  fetch: typeof fetch
  /** How to sign in where a server requires it; absent: our own server, or one with the operator's credential. */
  signIn?: SignIn
  /** Our own server: its definitions need no review before a call. */
  own: boolean
}

const TIMEOUT_MS = 8_000
const MAX_ANSWER_BYTES = 4 * 1024 * 1024

export interface HubDeps extends Deps {
  mcp: McpDispatcher
}

/**
 * The target of a command: empty or `finmeter` for our own server, the id of an operator's server, or a URL where the
 * operator allows that. A command is never a program: nothing in the playground can start one. Throws invalid_parameter
 * with the valid choices.
 */
export function findTarget(deps: HubDeps, command: string, caller: Caller): Target {
  const { PUBLIC_URL, PLAYGROUND_SERVERS = {}, PLAYGROUND_URLS } = deps.config
  if (command === '' || command === OWN_SERVER) {
    const url = new URL(`${PUBLIC_URL}/mcp`)
    return { endpoint: url.href, url, headers: {}, fetch: inProcess(deps.mcp, caller), own: true }
  }
  const offered = Object.hasOwn(PLAYGROUND_SERVERS, command) ? PLAYGROUND_SERVERS[command] : undefined
  if (offered) {
    const url = new URL(offered.url)
    // Named by the operator, so it may be on any network.
    const guarded = outside(allowsPrivate(deps))
    const named = outside(true)
    // Sign-in pages of that server are not named by the operator.
    const either: typeof fetch = (input, init) => (originOf(input) === url.origin ? named : guarded)(input, init)
    return { endpoint: offered.url, url, headers: offered.headers, fetch: either, own: false }
  }
  if (PLAYGROUND_URLS === 'on' && URL.canParse(command) && /^https?:$/.test(new URL(command).protocol)) {
    const url = new URL(command)
    return {
      endpoint: `${url.origin}${url.pathname}`,
      url,
      headers: {},
      fetch: outside(allowsPrivate(deps)),
      own: false,
    }
  }
  throw refusal(deps, command)
}

function refusal({ config }: HubDeps, command: string): AppError {
  const ids = [OWN_SERVER, ...Object.keys(config.PLAYGROUND_SERVERS ?? {})]
  const addresses = config.PLAYGROUND_URLS === 'on' ? ', or an https address' : ''
  const shown = command.length > 60 ? `${command.slice(0, 60)}…` : command
  return new AppError(
    'invalid_parameter',
    `command: "${shown}" is not a server that can be connected. Use ${ids.join(' or ')}${addresses}. Programs are never started.`,
    { param: 'command', allowed: ids },
  )
}

const allowsPrivate = ({ config }: HubDeps): boolean => config.PLAYGROUND_PRIVATE_NETWORKS === 'on'

const originOf = (input: Parameters<typeof fetch>[0]): string =>
  new URL(input instanceof Request ? input.url : input).origin

const outside = (privateNetworks: boolean): typeof fetch =>
  createGuardedFetch({ privateNetworks, timeoutMs: TIMEOUT_MS, maxBytes: MAX_ANSWER_BYTES })

/** Our own endpoint, called in process: the caller is known, and no key is needed. */
function inProcess(mcp: McpDispatcher, caller: Caller): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init)
    if (request.method !== 'POST') return new Response(null, { status: 405 })
    const { status, headers, body } = await mcp.handleAs(caller, {
      method: 'POST',
      headers: Object.fromEntries(request.headers),
      body: await request.text(),
      presented: { apiKeyHeader: undefined, urlKey: undefined, authorization: undefined },
      record: new CallRecord(randomUUID()),
    })
    return new Response(status === 202 ? null : body, { status, headers })
  }
}
