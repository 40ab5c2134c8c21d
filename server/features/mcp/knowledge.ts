import type { Caller } from '../metering/meter.ts'

/** A document that an agent can read without a tool call. Reading is free. */
export interface KnowledgeResource {
  uri: string
  name: string
  title: string
  description: string
  mimeType: string
}

/** Resources by pattern (RFC 6570, level 1): `dataset://{id}`. */
export interface KnowledgeTemplate {
  uriTemplate: string
  name: string
  title: string
  description: string
  mimeType: string
}

export interface KnowledgePrompt {
  name: string
  title: string
  description: string
  arguments: readonly { name: string; description: string; required: boolean }[]
}

/** What MCP serves of our own besides tools. Each MCP method has one function here; none is metered or uses the network. */
export interface Knowledge {
  /** For `initialize`: at most 120 words. Like everything here, it speaks of no tool that is not served. */
  instructions: () => string
  resources: (caller: Caller) => readonly KnowledgeResource[] | Promise<readonly KnowledgeResource[]>
  templates: (caller: Caller) => readonly KnowledgeTemplate[] | Promise<readonly KnowledgeTemplate[]>
  /** The text of a resource. Throws not_found with suggestions for an unknown URI. */
  read: (uri: string, caller: Caller) => Promise<{ uri: string; mimeType: string; text: string }>
  prompts: () => readonly KnowledgePrompt[]
  /** The one user message of a prompt. Throws not_found for an unknown name, invalid_parameter for wrong arguments. */
  prompt: (name: string, given: Record<string, string>) => { description: string; text: string }
  /** At most 100 values that match what was typed by prefix or meaning. Unknown references complete to nothing. */
  complete: (
    reference: { type: 'ref/prompt'; name: string } | { type: 'ref/resource'; uri: string },
    argument: { name: string; value: string },
    caller: Caller,
  ) => Promise<{ values: string[]; total: number; hasMore: boolean }>
}
