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
import type { McpTool } from '../tools/register-tool.ts'
import type { KnowledgePrompt, KnowledgeResource, KnowledgeTemplate } from './knowledge.ts'

/** A tool that uses the protocol itself (progress, logs, questions to the client). It never costs credits. */
export interface ProtocolTool {
  definition: McpTool
  /** Whether it sends messages before its result, so that its answer must be an event stream. */
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
  /** The contents of a resource; undefined if the resource is not the profile's. */
  read: (uri: string) => ReadResourceResult['contents'] | undefined
  /** The messages of a prompt; undefined if the prompt is not the profile's. */
  prompt: (
    name: string,
    args: Record<string, string>,
    context: ServerContext,
  ) => GetPromptResult | InputRequiredResult | undefined
  /** Adds handlers for methods that the product does not serve. */
  prepare: (server: Server) => void
  /** Verifies and decodes the state that a client returns. Throws for state that we did not issue. */
  verifyState?: (state: string, context: ServerContext) => unknown
}

/** The profile of the product itself. */
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
