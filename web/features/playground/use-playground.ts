import { useCallback, useEffect, useMemo, useReducer, useRef } from 'react'
import type { PlaygroundServer, PlaygroundTool } from '#contract/playground.ts'
import { messageOf } from '../../lib/api-error.ts'
import { accessToken, useSession } from '../../lib/session.ts'
import { parseCommand } from './commands.ts'
import { eventMessage } from './event-message.ts'
import { createEventStream, type EventStream, reconnectDelayMs, type StreamStatus } from './event-stream.ts'
import { creditsOf } from './log-entry.ts'
import { type ChatMessage, type MessageType, maxMessages, newMessage } from './messages.ts'
import { ownServer, playgroundApi } from './playground-api.ts'
import { playgroundText as text } from './text.ts'
import { useCallLog } from './use-call-log.ts'
import { useModelChat } from './use-model-chat.ts'

interface State {
  servers: PlaygroundServer[]
  tools: PlaygroundTool[]
  messages: ChatMessage[]
  /** The operator's model that answers plain questions; null: there is none. */
  chatModel: string | null
  connecting: boolean
  loading: boolean
  /** Names of tools that are being called. */
  calling: string[]
  stream: StreamStatus
}

type Change = Partial<State> | ((state: State) => Partial<State>)

const initial: State = {
  servers: [],
  tools: [],
  messages: [],
  chatModel: null,
  connecting: true,
  loading: false,
  calling: [],
  stream: 'Disconnected',
}
const flushMs = 16
const reduce = (state: State, change: Change): State => ({
  ...state,
  ...(typeof change === 'function' ? change(state) : change),
})

/** What came of a call, for whoever asked for it. */
export interface ToolSaid {
  said: string
  credits: number
}

export type Playground = ReturnType<typeof usePlayground>

/** Everything that the four tabs show and do. `keyId` is the API key that calls are charged to. */
export function usePlayground(keyId: string | null) {
  const { user } = useSession()
  const [state, set] = useReducer(reduce, initial)
  const charged = useRef(keyId)
  charged.current = keyId
  const servers = useRef<PlaygroundServer[]>([])
  servers.current = state.servers
  const ownCalls = useRef(new Set<string>())
  const stream = useRef<EventStream>(null)

  // Messages of one moment are shown together: a burst of events must not render the list once for each.
  const waiting = useRef<ChatMessage[]>([])
  const say = useCallback((type: MessageType, content: string, data?: unknown) => {
    waiting.current.push(newMessage(type, content, data))
    if (waiting.current.length > 1) return
    setTimeout(() => {
      const fresh = waiting.current
      waiting.current = []
      set(({ messages }) => ({ messages: [...messages, ...fresh].slice(-maxMessages) }))
    }, flushMs)
  }, [])
  const { log, note, clearLog } = useCallLog(user?.id)

  const loadTools = useCallback(async () => {
    set({ loading: true })
    try {
      const { servers: connected } = await playgroundApi.servers()
      const lists = await Promise.all(connected.map(({ name }) => playgroundApi.tools(name)))
      // Only listing the tools shows whether definitions changed.
      const { servers: known, chatModel } = await playgroundApi.servers()
      set({ servers: known, tools: lists.flat(), chatModel })
    } finally {
      set({ loading: false })
    }
  }, [])

  /** Throws what failed, after telling it. */
  const connect = useCallback(
    async (name: string = ownServer, command = '') => {
      set({ connecting: true })
      try {
        if (!user || !(await accessToken())) throw new Error(text.notAuthenticated)
        const { server } = await playgroundApi.connect(name, command)
        say('system', text.connectedTo(name))
        set(({ servers: all }) => ({ connecting: false, servers: [...all.filter((one) => one.name !== name), server] }))
        await loadTools()
      } catch (error) {
        const reason = messageOf(error, 'no answer')
        say('error', reason === text.notAuthenticated ? reason : text.connectFailed(reason))
        say('warning', text.connectHint)
        throw error
      } finally {
        set({ connecting: false })
      }
    },
    [user, say, loadTools],
  )

  const disconnect = useCallback(
    async (name: string = ownServer) => {
      try {
        await playgroundApi.disconnect(name)
        say('system', text.disconnectedFrom(name))
        set(({ servers: all, tools }) => ({
          servers: all.filter((one) => one.name !== name),
          tools: tools.filter((tool) => tool.serverName !== name),
        }))
      } catch (error) {
        say('error', text.disconnectFailed(messageOf(error, 'no answer')))
      }
    },
    [say],
  )

  const refresh = useCallback(async () => {
    try {
      await loadTools()
    } catch (error) {
      say('error', text.error(messageOf(error, 'no answer')))
    }
  }, [loadTools, say])

  /** Returns what the tool said, or why it said nothing, and what it cost. */
  const callTool = useCallback(
    async (tool: string, args: unknown = {}, serverName?: string): Promise<ToolSaid> => {
      const name = serverName ?? servers.current[0]?.name
      if (name === undefined || servers.current.length === 0) {
        say('error', text.noServers)
        return { said: text.noServers, credits: 0 }
      }
      const callId = crypto.randomUUID()
      ownCalls.current.add(callId)
      set(({ calling }) => ({ calling: [...calling, tool] }))
      try {
        const { result, call } = await playgroundApi.call(name, tool, {
          arguments: args,
          keyId: charged.current,
          callId,
        })
        const credits = creditsOf(result)
        note({ serverName: name, label: tool, tool, arguments: args, call, result, credits })
        if (result.isError) say('error', text.toolError(textOf(result.content)), result)
        else say('success', text.toolAnswered(tool), result)
        return { said: textOf(result.content), credits: credits ?? 0 }
      } catch (error) {
        const reason = text.callFailed(messageOf(error, 'no answer'))
        say('error', reason)
        return { said: reason, credits: 0 }
      } finally {
        set(({ calling }) => ({ calling: calling.toSpliced(calling.indexOf(tool), 1) }))
      }
    },
    [say, note],
  )

  const readResource = useCallback(
    async (serverName: string, uri: string) => {
      try {
        const { contents, call } = await playgroundApi.read(serverName, uri)
        note({ serverName, label: uri, call, credits: null })
        say('info', text.resourceRead(uri), contents)
        return contents
      } catch (error) {
        say('error', text.resourceError(messageOf(error, 'no answer')))
        return null
      }
    },
    [say, note],
  )

  const model = useModelChat({ callTool, say }, keyId)
  const { ask } = model
  const { chatModel } = state
  const send = useCallback(
    async (line: string) => {
      if (line.trim() === '') return
      say('user', line)
      const command = parseCommand(line)
      if (command.tool !== null) await callTool(command.tool, command.arguments, ownServerOf(servers.current))
      else if (chatModel !== null) await ask(line)
      else say('assistant', text.plain)
    },
    [say, callTool, ask, chatModel],
  )

  const retry = useCallback(async () => {
    set({ connecting: false, loading: false })
    try {
      await connect()
    } catch (error) {
      say('error', text.retryFailed(messageOf(error, 'no answer')))
    }
    stream.current?.restart(reconnectDelayMs)
  }, [connect, say])

  const begin = useRef({ connect, say })
  begin.current = { connect, say }
  const signedIn = user !== null
  useEffect(() => {
    if (!signedIn) return
    void begin.current.connect().catch(() => {})
    const opened = createEventStream({
      ticket: async () => {
        if (!(await accessToken())) throw new Error(text.noToken)
        return playgroundApi.ticket()
      },
      open: (url) => new EventSource(url),
      onStatus: (status) => set({ stream: status }),
      onFailure: (error) =>
        begin.current.say(
          'error',
          error instanceof Error && error.message === text.noToken ? text.noToken : text.streamFailed,
        ),
      onEvent: (event) => {
        const message = eventMessage(event, ownCalls.current)
        if (message) begin.current.say(message.type, message.content, message.data)
      },
    })
    stream.current = opened
    opened.restart()
    return () => opened.close()
  }, [signedIn])

  const connected = state.servers.length > 0
  return useMemo(
    () => ({
      ...state,
      connected,
      connect,
      disconnect,
      refresh,
      callTool,
      readResource,
      send,
      retry,
      log,
      clearLog,
      model,
    }),
    [state, connected, connect, disconnect, refresh, callTool, readResource, send, retry, log, clearLog, model],
  )
}

/** The chat's commands are those of our own server, if it is connected. */
const ownServerOf = (servers: PlaygroundServer[]) => servers.find(({ name }) => name === ownServer)?.name

function textOf(content: { type: string; text?: unknown }[]): string {
  return content.map((block) => (block.type === 'text' ? String(block.text) : '')).join('\n')
}
