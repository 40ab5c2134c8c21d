import type {
  CallToolResult,
  GetPromptResult,
  InputRequiredResult,
  ReadResourceResult,
  Server,
  ServerCapabilities,
  ServerContext,
  ServerNotifier,
} from '@modelcontextprotocol/server'
import type { KnowledgePrompt, KnowledgeResource, KnowledgeTemplate } from '../knowledge.ts'
import type { McpTool } from '../registry.ts'

/** A tool that speaks the protocol itself (progress, logs, questions to the client); never one that costs credits. */
export interface ProtocolTool {
  definition: McpTool
  /** Sends messages before its result, so that its answer must be a stream of events. */
  streams?: boolean
  run: (
    args: Record<string, unknown>,
    context: ServerContext,
    notify: ServerNotifier,
  ) => Promise<CallToolResult | InputRequiredResult> | CallToolResult | InputRequiredResult
}

/** What an installation adds to the protocol beyond the tools of the registry. */
export interface Profile {
  tools: readonly ProtocolTool[]
  resources: readonly KnowledgeResource[]
  templates: readonly KnowledgeTemplate[]
  prompts: readonly KnowledgePrompt[]
  capabilities: ServerCapabilities
  /** The contents of one of its resources; undefined: not one of them. */
  read: (uri: string) => ReadResourceResult['contents'] | undefined
  /** One of its prompts; undefined: not one of them. */
  prompt: (
    name: string,
    args: Record<string, string>,
    context: ServerContext,
  ) => GetPromptResult | InputRequiredResult | undefined
  /** Adds handlers for methods that the product itself does not serve. */
  prepare: (server: Server) => void
  /** Checks and decodes the state that a client brings back. Throws for one that is not ours. */
  verifyState?: (state: string, context: ServerContext) => unknown
}

/** What the product serves. */
export const productProfile: Profile = {
  tools: [],
  resources: [],
  templates: [],
  prompts: [],
  capabilities: {},
  read: () => undefined,
  prompt: () => undefined,
  prepare: () => {},
}
