import { z } from 'zod'

/** A tool whose definition changed since the person read it. */
export const changedTool = z.object({ name: z.string(), change: z.enum(['added', 'changed', 'removed']) })
export type ChangedTool = z.infer<typeof changedTool>

/** An MCP server that the person is connected to. `finmeter` is this installation's own. */
export const playgroundServer = z.object({
  name: z.string(),
  connected: z.boolean(),
  endpoint: z.string(),
  /** As negotiated with the server. */
  protocolVersion: z.string(),
  /** The server's tool definitions changed since the person read them, */
  definitionsChanged: z.boolean(),
  /** and these are the changed ones, at most 50. */
  changedTools: z.array(changedTool),
})
export type PlaygroundServer = z.infer<typeof playgroundServer>

/** An additional server that the operator offers. */
export const offeredServer = z.object({ command: z.string(), title: z.string() })
export type OfferedServer = z.infer<typeof offeredServer>

/** A server's hints about a tool's effects. They may be false: nothing relies on them. */
export const toolHints = z.object({
  readOnly: z.boolean().optional(),
  destructive: z.boolean().optional(),
  idempotent: z.boolean().optional(),
})
export type ToolHints = z.infer<typeof toolHints>

/** The schemas are JSON Schema as the server sent it. */
export const playgroundTool = z.object({
  name: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  inputSchema: z.record(z.string(), z.unknown()),
  outputSchema: z.record(z.string(), z.unknown()).optional(),
  hints: toolHints.optional(),
  serverName: z.string(),
  /** The price of a call, where the server states it. */
  credits: z.unknown().optional(),
  /** The server answers with a stream, which MCP delivers as a whole. */
  streams: z.boolean().optional(),
  /** The plans whose accounts alone may call it. */
  plans: z.array(z.string()).optional(),
  /** Estimated tokens of the definition in a model's context. */
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

const headers = z.record(z.string(), z.string())

/** One HTTP exchange with a server, without credentials. Texts longer than 64 KiB are truncated. */
export const exchange = z.object({
  method: z.string(),
  request: z.string(),
  /** Protocol headers only. */
  requestHeaders: headers,
  status: z.int(),
  contentType: z.string(),
  responseHeaders: headers,
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

const fields = z.record(z.string(), z.unknown())

/** A result of `tools/call` as the server sent it. */
export const toolResult = z.looseObject({
  content: z.array(z.looseObject({ type: z.string() })).default([]),
  isError: z.boolean().optional(),
  structuredContent: z.unknown().optional(),
  /** `input_required`: the tool asks `inputRequests` before it continues. */
  resultType: z.string().optional(),
  inputRequests: fields.optional(),
  requestState: z.string().optional(),
})
export type ToolResult = z.infer<typeof toolResult>

const headerName = z.string().regex(/^[A-Za-z0-9-]{1,100}$/, 'must be the name of a header')
const headerValue = z.string().regex(/^[\x20-\x7e]{1,4000}$/, 'must be one line of plain text')

/** `command`: empty for this server, the id of an offered one, or, where allowed, an https URL. `args` stays empty. */
export const serverConnection = z.strictObject({
  command: z.string('must be text').max(2000, 'is too long').default(''),
  args: z.array(z.string()).default([]),
  /** Sent only to a server that was connected by URL. New ones replace the earlier ones. */
  headers: z.record(headerName, headerValue).optional(),
  /** For a server where the playground was registered manually. */
  clientId: z.string().min(1).max(1000).optional(),
  clientSecret: z.string().min(1).max(1000).optional(),
})
export type ServerConnection = z.output<typeof serverConnection>

/** The authorization response from the redirect. */
export const signInAnswer = z.strictObject({
  state: z.string('is required').min(1, 'must not be empty').max(200),
  code: z.string().max(4000).optional(),
  iss: z.string().max(2000).optional(),
  error: z.string().max(200).optional(),
  error_description: z.string().max(2000).optional(),
})
export type SignInAnswer = z.output<typeof signInAnswer>

export const toolCall = z.strictObject({
  arguments: fields.default({}),
  /** The API key that the call is charged to; null or absent: the account itself. */
  keyId: z.uuid('must be the id of an API key').nullish(),
  /** Returned in the event, so that the caller recognizes it. */
  callId: z.string().max(100).optional(),
  /** The answers to the tool's questions (`resultType: 'input_required'`), and its state, unchanged. */
  inputResponses: fields.optional(),
  requestState: z.string().max(64_000, 'is too long').optional(),
})

/** A stream event. `data` depends on the type. */
export interface PlaygroundEvent {
  type: 'connected' | 'disconnected' | 'tools' | 'tool_result' | 'tool_error' | 'resource' | 'resource_error' | 'error'
  message: string
  data: { name?: string; toolName?: string; result?: unknown; error?: string; uri?: string; resource?: unknown }
  serverName: string
  callId?: string
}

export const resourceRequest = z.strictObject({
  uri: z.string('is required').min(1, 'must not be empty').max(2000, 'is too long'),
  /** Marks the stream event of this read, so that the page that made it can ignore it. */
  callId: z.string().max(100).optional(),
})

/** Values for an argument of a prompt, or for a variable of a resource template. */
export const completionRequest = z.strictObject({
  ref: z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('ref/prompt'), name: z.string().min(1).max(200) }),
    z.strictObject({ type: z.literal('ref/resource'), uri: z.string().min(1).max(2000) }),
  ]),
  argument: z.strictObject({ name: z.string().min(1).max(200), value: z.string().max(1000) }),
  /** The other arguments that already have values. */
  given: z.record(z.string(), z.string()).default({}),
})
export type CompletionRequest = z.output<typeof completionRequest>

export const promptRequest = z.strictObject({
  name: z.string('is required').min(1, 'must not be empty').max(200, 'is too long'),
  arguments: z.record(z.string(), z.string()).default({}),
})
