import type { ChatMessage, ChatTurn } from '#contract/chat.ts'
import type {
  CallReport,
  CompletionRequest,
  OfferedServer,
  PlaygroundPrompt,
  PlaygroundResource,
  PlaygroundServer,
  PlaygroundTool,
  ToolResult,
} from '#contract/playground.ts'
import { api } from '../../lib/api.ts'

const base = '/api/playground'
const server = (name: string) => `${base}/servers/${encodeURIComponent(name)}`

/** A model may take its time: the server gives it two minutes at most. */
const modelTimeoutMs = 130_000

/** Its server is asked several times on the way. */
const signInTimeoutMs = 40_000

/** The tool server that the playground connects to by itself. */
export const ownServer = 'finmeter'

export interface Servers {
  servers: PlaygroundServer[]
  offered: OfferedServer[]
  urlsAllowed: boolean
  chatModel: string | null
}
export interface ToolAnswer {
  result: ToolResult
  call: CallReport
}
export interface Knowledge {
  resources: PlaygroundResource[]
  templates: (Omit<PlaygroundResource, 'uri'> & { uriTemplate: string })[]
  prompts: PlaygroundPrompt[]
}

/** What a server that is connected by its address may want besides. */
export interface Given {
  headers?: Record<string, string>
  clientId?: string
  clientSecret?: string
}
/** To what a tool asked, with its state as it came. */
export interface Answers {
  inputResponses: Record<string, unknown>
  requestState?: string
}
interface CallBody extends Partial<Answers> {
  arguments: unknown
  keyId: string | null
  callId: string
}

/** Calls of the playground; each throws ApiError. */
export const playgroundApi = {
  servers: () => api<Servers>(`${base}/servers`),
  connect: (name: string, command: string, given: Given = {}) =>
    api<{ server: PlaygroundServer }>(`${server(name)}/connect`, {
      method: 'post',
      json: { command, args: [], ...given },
    }),
  /** Where a server that asked for it lets people sign in; null: it does not ask now. */
  signInUrl: (name: string) =>
    api<{ url: string }>(`${server(name)}/sign-in`).then(
      ({ url }) => url,
      () => null,
    ),
  finishSignIn: (answer: Record<string, string>) =>
    api<{ server: PlaygroundServer }>(`${base}/sign-in`, { method: 'post', json: answer, timeout: signInTimeoutMs }),
  disconnect: (name: string) => api(`${server(name)}/disconnect`, { method: 'post' }),
  tools: (name: string) => api<{ tools: PlaygroundTool[] }>(`${server(name)}/tools`).then((data) => data.tools),
  call: (name: string, tool: string, body: CallBody) =>
    api<ToolAnswer>(`${server(name)}/tools/${encodeURIComponent(tool)}/call`, { method: 'post', json: body }),
  knowledge: async (name: string): Promise<Knowledge> => {
    const [known, { prompts }] = await Promise.all([
      api<Omit<Knowledge, 'prompts'>>(`${server(name)}/resources`),
      api<{ prompts: PlaygroundPrompt[] }>(`${server(name)}/prompts`),
    ])
    return { ...known, prompts }
  },
  read: (name: string, uri: string) =>
    api<{ contents: unknown[]; call: CallReport }>(`${server(name)}/resources/get`, { method: 'post', json: { uri } }),
  complete: (name: string, body: CompletionRequest) =>
    api<{ values: string[] }>(`${server(name)}/complete`, { method: 'post', json: body }).then((data) => data.values),
  acceptChanges: (name: string) =>
    api<{ server: PlaygroundServer }>(`${server(name)}/definitions/accept`, { method: 'post' }),
  prompt: (name: string, prompt: string, args: Record<string, string>) =>
    api<{ messages: unknown[]; call: CallReport }>(`${server(name)}/prompts/get`, {
      method: 'post',
      json: { name: prompt, arguments: args },
    }),
  chat: (messages: ChatMessage[], keyId: string | null, signal: AbortSignal) =>
    api<ChatTurn>(`${base}/chat`, { method: 'post', json: { messages, keyId }, signal, timeout: modelTimeoutMs }),
  ticket: () => api<{ ticket: string }>(`${base}/stream/ticket`, { method: 'post' }).then((data) => data.ticket),
}
