import { useCallback, useEffect, useReducer, useRef } from 'react'
import type { PlaygroundServer } from '#contract/playground.ts'
import { accessToken, useSession } from '../../lib/auth/session.ts'
import { ApiError, messageOf } from '../../lib/http/api-error.ts'
import { creditsOf } from './call-log/log-entry.ts'
import { useCallLog } from './call-log/use-call-log.ts'
import { commandList } from './chat/command-list.ts'
import { parseCommand } from './chat/commands.ts'
import type { Question } from './chat/question-panel.tsx'
import { useMessages } from './chat/use-messages.ts'
import { useModelChat } from './chat/use-model-chat.ts'
import { type Answers, ownServer, playgroundApi, type ServerCredentials } from './playground-api.ts'
import { initialState, reduceState } from './playground-state.ts'
import { playgroundText as text } from './text.ts'
import { useEventStream } from './use-event-stream.ts'

/** The result of a call, for its caller. */
export interface ToolOutcome {
  content: string
  credits: number
}

export type Playground = ReturnType<typeof usePlayground>

/** State and actions of the four tabs. `keyId` is the API key that calls are charged to. */
export function usePlayground(keyId: string | null) {
  const { user } = useSession()
  const [state, set] = useReducer(reduceState, initialState)
  const charged = useRef(keyId)
  charged.current = keyId
  const servers = useRef<PlaygroundServer[]>([])
  servers.current = state.servers
  const ownCalls = useRef(new Set<string>())
  const { messages, say } = useMessages()
  /** Servers that this page is connecting or disconnecting: their events are its own. */
  const changing = useRef(new Set<string>())
  const { log, note, clearLog } = useCallLog(user?.id)

  /** Whether the server requires sign-in; if so, says so in the chat. */
  const handleSignInRequired = useCallback(
    async (error: unknown, name: string): Promise<boolean> => {
      if (!(error instanceof ApiError) || error.code !== 'sign_in_required') return false
      const url = await playgroundApi.signInUrl(name)
      if (url === null || !/^https?:/.test(url)) return false
      set(({ signIns }) => ({ signIns: [...signIns.filter((one) => one.name !== name), { name, url }] }))
      say('warning', text.signInRequired(name))
      return true
    },
    [say],
  )

  const loadTools = useCallback(async () => {
    set({ loading: true })
    try {
      const { servers: connected } = await playgroundApi.servers()
      const lists = await Promise.all(
        connected.map(({ name }) =>
          playgroundApi.tools(name).catch(async (error) => {
            if (name === ownServer) throw error
            // A failing server does not affect the others.
            if (!(await handleSignInRequired(error, name)))
              say('error', text.error(text.serverTools(name, messageOf(error, 'no answer'))))
            return []
          }),
        ),
      )
      // The server detects changed definitions when tools are listed.
      const { servers: known, chatModel } = await playgroundApi.servers()
      set({ servers: known, tools: lists.flat(), chatModel })
      for (const { name, changedTools } of known)
        if (changedTools.length > 0) say('warning', text.changedAt(name, changedTools))
    } finally {
      set({ loading: false })
    }
  }, [say, handleSignInRequired])

  /** Throws the error after showing it. */
  const connect = useCallback(
    async (name: string = ownServer, command = '', credentials: ServerCredentials = {}) => {
      set({ connecting: true })
      changing.current.add(name)
      try {
        if (!user || !(await accessToken())) throw new Error(text.notAuthenticated)
        const { server } = await playgroundApi.connect(name, command, credentials)
        say('system', text.connectedTo(name))
        set(({ servers: all, signIns }) => ({
          connecting: false,
          servers: [...all.filter((one) => one.name !== name), server],
          signIns: signIns.filter((one) => one.name !== name),
        }))
        await loadTools()
      } catch (error) {
        if (await handleSignInRequired(error, name)) throw error
        const reason = messageOf(error, 'no answer')
        say('error', reason === text.notAuthenticated ? reason : text.connectFailed(reason))
        say('warning', text.connectHint)
        throw error
      } finally {
        changing.current.delete(name)
        set({ connecting: false })
      }
    },
    [user, say, loadTools, handleSignInRequired],
  )

  const drop = useCallback(
    (name: string) => {
      say('system', text.disconnectedFrom(name))
      set(({ servers: all, tools }) => ({
        servers: all.filter((one) => one.name !== name),
        tools: tools.filter((tool) => tool.serverName !== name),
      }))
    },
    [say],
  )
  const disconnect = useCallback(
    async (name: string = ownServer) => {
      changing.current.add(name)
      try {
        await playgroundApi.disconnect(name)
        drop(name)
      } catch (error) {
        say('error', text.disconnectFailed(messageOf(error, 'no answer')))
      } finally {
        changing.current.delete(name)
      }
    },
    [say, drop],
  )

  /** The user has reviewed this server's current definitions. */
  const acceptChanges = useCallback(
    async (name: string) => {
      try {
        const { server } = await playgroundApi.acceptChanges(name)
        set(({ servers: all }) => ({ servers: all.map((one) => (one.name === name ? server : one)) }))
      } catch (error) {
        say('error', text.error(messageOf(error, 'no answer')))
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

  const { stream, restart } = useEventStream(user !== null, ownCalls.current, say, ({ type, serverName, data }) => {
    if (changing.current.has(serverName) || state.loading) return
    const known = state.servers.some(({ name }) => name === serverName)
    const count = state.tools.filter((tool) => tool.serverName === serverName).length
    if (type === 'disconnected' && known) drop(serverName)
    else if (type === 'connected' && !known) {
      say('system', text.connectedTo(serverName))
      void refresh()
    } else if (type === 'tools' && known && data.result !== count) void refresh()
  })

  /** Returns the tool's result or error, and its cost. */
  const callTool = useCallback(
    async (tool: string, args: unknown = {}, serverName?: string, answers?: Answers): Promise<ToolOutcome> => {
      const name = serverName ?? servers.current[0]?.name
      if (name === undefined || servers.current.length === 0) {
        say('error', text.noServers)
        return { content: text.noServers, credits: 0 }
      }
      const callId = crypto.randomUUID()
      ownCalls.current.add(callId)
      set(({ calling }) => ({ calling: [...calling, tool] }))
      try {
        const { result, call } = await playgroundApi.call(name, tool, {
          arguments: args,
          keyId: charged.current,
          callId,
          ...answers,
        })
        const credits = creditsOf(result)
        note({ serverName: name, label: tool, tool, arguments: args, call, result, credits })
        if (result.resultType === 'input_required') {
          set({ question: { serverName: name, tool, arguments: args, result } })
          say('info', text.toolAsks(tool))
        } else if (result.isError) say('error', text.toolError(textOf(result.content)), result)
        else say('success', text.toolAnswered(tool), result)
        return { content: textOf(result.content), credits: credits ?? 0 }
      } catch (error) {
        const reason = text.callFailed(messageOf(error, 'no answer'))
        if (await handleSignInRequired(error, name)) return { content: reason, credits: 0 }
        say('error', reason)
        return { content: reason, credits: 0 }
      } finally {
        set(({ calling }) => ({ calling: calling.toSpliced(calling.indexOf(tool), 1) }))
      }
    },
    [say, note, handleSignInRequired],
  )

  /** Continues the call that waits for input. */
  const answer = useCallback(
    (asked: Question, answers: Answers) => {
      set({ question: null })
      return callTool(asked.tool, asked.arguments, asked.serverName, answers)
    },
    [callTool],
  )

  const readResource = useCallback(
    async (serverName: string, uri: string) => {
      const callId = crypto.randomUUID()
      ownCalls.current.add(callId)
      try {
        const { contents, call } = await playgroundApi.read(serverName, uri, callId)
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
      if (command.tool === null && command.help)
        say('assistant', text.help(commandList.map(({ command, about }) => `${command}: ${about}`)))
      else if (command.tool !== null) await callTool(command.tool, command.arguments, ownServerOf(servers.current))
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
    restart()
  }, [connect, say, restart])

  const signedIn = user !== null
  const begin = useRef(connect)
  begin.current = connect
  useEffect(() => {
    if (signedIn) void begin.current().catch(() => {})
  }, [signedIn])

  const connected = state.servers.length > 0
  return {
    ...state,
    messages,
    stream,
    connected,
    connect,
    disconnect,
    acceptChanges,
    refresh,
    callTool,
    answer,
    readResource,
    send,
    retry,
    log,
    clearLog,
    model,
  }
}

/** Chat commands go to our own server if it is connected. */
const ownServerOf = (servers: PlaygroundServer[]) => servers.find(({ name }) => name === ownServer)?.name

function textOf(content: { type: string; text?: unknown }[]): string {
  return content.map((block) => (block.type === 'text' ? String(block.text) : '')).join('\n')
}
