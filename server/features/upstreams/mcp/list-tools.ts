import { randomUUID } from 'node:crypto'
import type { McpCall } from './fetch-upstream.ts'
import type { ToolDefinition } from './read-tools.ts'
import { requestOptions, type Session, within } from './session.ts'

/** The longest list of tools that is read, in bytes a page. */
export const LIST_BYTES = 16 * 2 ** 20
const LISTING_MS = 30_000

/** A call for the operator and for no customer. */
export const operatorCall = (): McpCall => ({
  names: { account: 'operator', key: null, request: randomUUID() },
  traceparent: null,
  signal: AbortSignal.timeout(LISTING_MS),
})

/** All tools that the server has now, with all pages. Rejects with an error of the SDK, or what `fetchUpstream` throws. */
export const listTools = async ({ client }: Session, call: McpCall): Promise<ToolDefinition[]> =>
  (await within(call, () => client.listTools(undefined, { ...requestOptions(call), cacheMode: 'bypass' }))).tools
