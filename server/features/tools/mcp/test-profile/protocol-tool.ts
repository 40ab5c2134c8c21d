import { CLIENT_CAPABILITIES_META_KEY, type ClientCapabilities, type ServerContext } from '@modelcontextprotocol/server'
import type { McpTool } from '../../registry.ts'
import type { ProtocolTool } from '../profile.ts'

const object = { type: 'object', properties: {} }

/** A fixture by its name; the suite looks at names and behaviour only. */
export function fixture(
  name: string,
  description: string,
  run: ProtocolTool['run'],
  more: { streams?: boolean; inputSchema?: McpTool['inputSchema'] } = {},
): ProtocolTool {
  return {
    definition: {
      name,
      title: name,
      description,
      inputSchema: more.inputSchema ?? object,
      annotations: { readOnlyHint: true },
    },
    ...(more.streams && { streams: true }),
    run,
  }
}

export const text = (words: string) => ({ type: 'text' as const, text: words })

export const pauseMs = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds))

/** What the client of a 2026-07-28 request says that it can do. */
export function declaredBy({ mcpReq }: ServerContext): ClientCapabilities {
  const envelope = mcpReq.envelope as Record<string, ClientCapabilities | undefined> | undefined
  return envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? {}
}
