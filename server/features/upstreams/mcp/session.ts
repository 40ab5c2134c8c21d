import { randomInt } from 'node:crypto'
import { Client, type PriorDiscovery, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import packageJson from '../../../../package.json' with { type: 'json' }
import { currentCall, fetchUpstream, type McpCall, type McpRoute } from './fetch-upstream.ts'

/** The call's own deadline is shorter. */
const SDK_TIMEOUT_MS = 600_000
const ENDING_MS = 5_000
/** Ids stay exact integers, far from the limit. */
const FIRST_IDS = 2 ** 31

export interface Session {
  client: Client
  /** Tells the server that nobody waits for the call's last request any more. */
  cancel: (call: McpCall) => Promise<void>
  /** Tells the server, if it can be told, and closes it. */
  end: () => Promise<void>
}

/**
 * Opens a session for a call. `prior`: the protocol that the server is known to speak, which saves asking for it. Rejects with an error
 * of the SDK, or what `fetchUpstream` throws.
 */
export async function openSession(route: McpRoute, call: McpCall, prior?: PriorDiscovery): Promise<Session> {
  // It offers no capabilities, so a server cannot ask the customer or a model anything.
  const client = new Client(
    { name: 'finmeter', version: packageJson.version },
    { versionNegotiation: { mode: 'auto' }, inputRequired: { autoFulfill: false } },
  )
  // A server may identify requests by id, and each new client would start at 0.
  Reflect.set(client, '_requestMessageId', randomInt(FIRST_IDS))
  const transport = new StreamableHTTPClientTransport(route.base, { fetch: fetchUpstream(route) })
  try {
    await within(call, () => client.connect(transport, { ...requestOptions(call), ...(prior && { prior }) }))
  } catch (error) {
    await client.close().catch(() => {})
    throw error
  }
  return {
    client,
    async cancel({ requestId, ...of }) {
      // In protocol 2026-07-28, the end of the connection says so.
      if (client.getDiscoverResult() || requestId === undefined) return
      const ending = { ...of, signal: AbortSignal.timeout(ENDING_MS) }
      const params = { requestId: requestId as number, reason: 'The client does not wait any longer.' }
      await currentCall
        .run(ending, () => client.notification({ method: 'notifications/cancelled', params }))
        .catch(() => {})
    },
    async end() {
      const ending = { ...call, signal: AbortSignal.timeout(ENDING_MS) }
      await currentCall.run(ending, () => transport.terminateSession()).catch(() => {})
      await client.close().catch(() => {})
    },
  }
}

/** What `openSession` may take as `prior` the next time. */
export function priorOf({ client }: Session): PriorDiscovery {
  const discover = client.getDiscoverResult()
  return discover ? { kind: 'modern', discover } : { kind: 'legacy' }
}

/** The options of the SDK for a request of a call. */
export const requestOptions = ({ signal }: McpCall) => ({ signal, timeout: SDK_TIMEOUT_MS })

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, failed) => {
    if (signal.aborted) failed(signal.reason)
    signal.addEventListener('abort', () => failed(signal.reason), { once: true })
  })

/** Does `work` as a part of the call, and ends with it, because the SDK does not always: when it asks what a server speaks, for example. What went wrong with a request is thrown instead of what the SDK makes of it. */
export async function within<T>(call: McpCall, work: () => Promise<T>): Promise<T> {
  delete call.failure
  try {
    return await Promise.race([currentCall.run(call, work), aborted(call.signal)])
  } catch (error) {
    if (call.signal.aborted) throw call.signal.reason
    throw call.failure ?? error
  }
}
