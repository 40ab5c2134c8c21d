import { z } from 'zod'

/** An MCP server that the person is connected to. `finmeter` is this installation's own. */
export const playgroundServer = z.object({
  name: z.string(),
  connected: z.boolean(),
  endpoint: z.string(),
  /** As negotiated with the server. */
  protocolVersion: z.string(),
  /** The server's tool definitions differ from those of an earlier connection. */
  definitionsChanged: z.boolean(),
})
export type PlaygroundServer = z.infer<typeof playgroundServer>

/** A server that the operator offers besides the own one. */
export const offeredServer = z.object({ command: z.string(), title: z.string() })
export type OfferedServer = z.infer<typeof offeredServer>

/** `inputSchema` is JSON Schema as the server sent it. */
export const playgroundTool = z.object({
  name: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  inputSchema: z.record(z.string(), z.unknown()),
  serverName: z.string(),
  /** What a call costs, where the server says so. */
  credits: z.unknown().optional(),
  /** Estimated tokens that the definition takes in a model's context. */
  tokens: z.int(),
})
export type PlaygroundTool = z.infer<typeof playgroundTool>

export const playgroundResource = z.object({
  uri: z.string(),
  name: z.string(),
  description: z.string().optional(),
  mimeType: z.string().optional(),
})
export const playgroundTemplate = playgroundResource.omit({ uri: true }).extend({ uriTemplate: z.string() })
export type PlaygroundResource = z.infer<typeof playgroundResource>

export const playgroundPrompt = z.object({
  name: z.string(),
  description: z.string().optional(),
  arguments: z.array(
    z.object({ name: z.string(), description: z.string().optional(), required: z.boolean().optional() }),
  ),
})
export type PlaygroundPrompt = z.infer<typeof playgroundPrompt>

/** One HTTP exchange with a server, without credentials. Texts longer than 64 KiB are cut. */
export const exchange = z.object({
  method: z.string(),
  request: z.string(),
  status: z.int(),
  contentType: z.string(),
  response: z.string(),
  requestBytes: z.int(),
  responseBytes: z.int(),
  durationMs: z.int(),
})
export type Exchange = z.infer<typeof exchange>

/** What a call was, for the log. */
export const callReport = z.object({
  durationMs: z.int(),
  protocolVersion: z.string(),
  /** Estimated tokens of the result in a model's context. */
  tokens: z.int(),
  exchanges: z.array(exchange),
})
export type CallReport = z.infer<typeof callReport>

/** A result of `tools/call` as the server sent it. */
export const toolResult = z.looseObject({
  content: z.array(z.looseObject({ type: z.string() })),
  isError: z.boolean().optional(),
  structuredContent: z.unknown().optional(),
})
export type ToolResult = z.infer<typeof toolResult>

/** `command`: empty for the own server, the id of an offered one, or, where allowed, an https address. `args` stays empty. */
export const serverConnection = z.strictObject({
  command: z.string('must be text').max(2000, 'is too long').default(''),
  args: z.array(z.string()).default([]),
})

const fields = z.record(z.string(), z.unknown())
export const toolCall = z.strictObject({
  arguments: fields.default({}),
  /** The API key that the call is charged to; null or absent: the account itself. */
  keyId: z.uuid('must be the id of an API key').nullish(),
  /** Comes back in the event, so that whoever called knows it for its own. */
  callId: z.string().max(100).optional(),
})

/** What the stream sends. `data` holds what belongs to the type. */
export interface PlaygroundEvent {
  type: 'connected' | 'disconnected' | 'tools' | 'tool_result' | 'tool_error' | 'resource' | 'resource_error' | 'error'
  message: string
  data: { name?: string; toolName?: string; result?: unknown; error?: string; uri?: string; resource?: unknown }
  serverName: string
  callId?: string
}

export const resourceRequest = z.strictObject({
  uri: z.string('is required').min(1, 'must not be empty').max(2000, 'is too long'),
})

export const promptRequest = z.strictObject({
  name: z.string('is required').min(1, 'must not be empty').max(200, 'is too long'),
  arguments: z.record(z.string(), z.string()).default({}),
})
