import { CLIENT_CAPABILITIES_META_KEY, type ClientCapabilities, type ServerContext } from '@modelcontextprotocol/server'
import type { McpTool } from '../../tools/register-tool.ts'
import type { ProtocolTool } from '../profile.ts'

const object = { type: 'object', properties: {} }

/** A fixture by name; the suite checks only names and behavior. */
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

/** The capabilities that the client of a 2026-07-28 request declares. */
export function declaredBy({ mcpReq }: ServerContext): ClientCapabilities {
  const envelope = mcpReq.envelope as Record<string, ClientCapabilities | undefined> | undefined
  return envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? {}
}
