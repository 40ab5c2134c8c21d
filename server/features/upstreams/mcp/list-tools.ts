import { randomUUID } from 'node:crypto'
import type { McpCall } from './fetch-upstream.ts'
import type { Offered } from './offered.ts'
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

/**
 * All tools that the server has now, with all pages, and the prompts and resources, if these are wanted. Rejects with an error of the SDK,
 * or what `fetchUpstream` throws.
 */
export function listOffered(
  { client }: Session,
  call: McpCall,
  wanted: { prompts: boolean; resources: boolean },
): Promise<Offered> {
  const options = { ...requestOptions(call), cacheMode: 'bypass' } as const
  return within(call, async () => {
    const { tools } = await client.listTools(undefined, options)
    const { prompts } = wanted.prompts ? await client.listPrompts(undefined, options) : { prompts: [] }
    if (!wanted.resources) return { tools, prompts, resources: [] }
    const { resources } = await client.listResources(undefined, options)
    const { resourceTemplates } = await client.listResourceTemplates(undefined, options)
    return { tools, prompts, resources: [...resources, ...resourceTemplates] }
  })
}
