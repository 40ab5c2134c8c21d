import type { ChatMessage } from '#contract/chat.ts'
import type { CompletionRequest, SignInAnswer } from '#contract/playground.ts'
import { api } from '../../lib/http/api.ts'
import type { Answer } from '../../lib/http/endpoints.ts'

/** Models can be slow: the server allows two minutes. */
const modelTimeoutMs = 130_000

/** Sign-in takes several requests to the server. */
const signInTimeoutMs = 40_000

export type Servers = Answer<'listPlaygroundServers'>
export type Knowledge = Answer<'listPlaygroundResources'> & Answer<'listPlaygroundPrompts'>

/** Credentials for a server connected by URL. */
export interface ServerCredentials {
  headers?: Record<string, string>
  clientId?: string
  clientSecret?: string
}
/** Answers to a tool's questions, with its state returned unchanged. */
export interface Answers {
  inputResponses: Record<string, unknown>
  requestState?: string
}
interface CallBody extends Partial<Answers> {
  /** Any JSON, as typed: the server explains what is wrong. */
  arguments: unknown
  keyId: string | null
  callId: string
}

const quiet = 'quiet-'
/** The id of a request that only helps with typing: other tabs do not show its event. */
export const quietCallId = () => `${quiet}${crypto.randomUUID()}`
export const isQuiet = (callId: string) => callId.startsWith(quiet)

/** The playground's API calls; each throws ApiError. */
export const playgroundApi = {
  servers: () => api('listPlaygroundServers'),
  connect: (server: string, command: string, credentials: ServerCredentials = {}) =>
    api('connectPlaygroundServer', { params: { server }, body: { command, args: [], ...credentials } }),
  /** The sign-in URL of a server that requires it; null if it does not. */
  signInUrl: (server: string) =>
    api('getPlaygroundSignIn', { params: { server } }).then(
      ({ url }) => url,
      () => null,
    ),
  finishSignIn: (answer: SignInAnswer) => api('finishPlaygroundSignIn', { body: answer, timeout: signInTimeoutMs }),
  disconnect: (server: string) => api('disconnectPlaygroundServer', { params: { server } }),
  tools: (server: string) => api('listPlaygroundTools', { params: { server } }).then((data) => data.tools),
  call: (server: string, tool: string, { arguments: typed, ...body }: CallBody) =>
    api('callPlaygroundTool', {
      params: { server, tool },
      body: { ...body, arguments: typed as Record<string, unknown> },
    }),
  knowledge: async (server: string): Promise<Knowledge> => {
    const [known, { prompts }] = await Promise.all([
      api('listPlaygroundResources', { params: { server } }),
      api('listPlaygroundPrompts', { params: { server } }),
    ])
    return { ...known, prompts }
  },
  resources: (server: string) => api('listPlaygroundResources', { params: { server } }).then((data) => data.resources),
  read: (server: string, uri: string, callId: string) =>
    api('getPlaygroundResource', { params: { server }, body: { uri, callId } }),
  complete: (server: string, body: CompletionRequest) =>
    api('completePlaygroundArgument', { params: { server }, body }).then((data) => data.values),
  acceptChanges: (server: string) => api('acceptPlaygroundChanges', { params: { server } }),
  prompt: (server: string, name: string, args: Record<string, string>) =>
    api('getPlaygroundPrompt', { params: { server }, body: { name, arguments: args } }),
  chat: (messages: ChatMessage[], keyId: string | null, signal: AbortSignal) =>
    api('takeChatTurn', { body: { messages, keyId }, signal, timeout: modelTimeoutMs }),
  ticket: () => api('createStreamTicket').then((data) => data.ticket),
}
