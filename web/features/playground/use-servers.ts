import { useCallback, useEffect, useRef } from 'react'
import { accessToken } from '../../lib/auth/session.ts'
import { messageOf } from '../../lib/http/api-error.ts'
import type { Say } from './chat/messages/use-messages.ts'
import { ownServer } from './own-server.ts'
import { playgroundApi, type ServerCredentials } from './playground-api.ts'
import type { PlaygroundState, SetState } from './playground-state.ts'
import { playgroundText as text } from './text.ts'
import { useEventStream } from './use-event-stream.ts'
import type { HandleSignIn } from './use-sign-ins.ts'

interface Parts {
  signedIn: boolean
  state: PlaygroundState
  set: SetState
  say: Say
  handleSignIn: HandleSignIn
  /** Call ids of this page: their events are left out. */
  ownCalls: Set<string>
}

/** The connected servers and their tools, kept up to date by the event stream. Connects to our own server at first. */
export function useServers({ signedIn, state, set, say, handleSignIn, ownCalls }: Parts) {
  /** Servers that this page is connecting or disconnecting: their events are its own. */
  const changing = useRef(new Set<string>())
  /** How often a server was disconnected: lists that were asked for before must not bring it back. */
  const drops = useRef(0)

  const loadTools = useCallback(async (): Promise<void> => {
    set({ loading: true })
    const before = drops.current
    try {
      const { servers: connected } = await playgroundApi.servers()
      const lists = await Promise.all(
        connected.map(({ name }) =>
          playgroundApi.tools(name).catch(async (error) => {
            if (name === ownServer) throw error
            // A failing server does not affect the others.
            if (!(await handleSignIn(error, name)))
              say('error', text.error(text.serverTools(name, messageOf(error, 'no answer'))))
            return []
          }),
        ),
      )
      // The server detects changed definitions when tools are listed.
      const { servers: known, chatModel } = await playgroundApi.servers()
      if (drops.current !== before) return await loadTools()
      set({ servers: known, tools: lists.flat(), chatModel })
      for (const { name, changedTools } of known)
        if (changedTools.length > 0) say('warning', text.changedAt(name, changedTools))
    } finally {
      set({ loading: false })
    }
  }, [set, say, handleSignIn])

  /** Throws the error after showing it. */
  const connect = useCallback(
    async (name: string = ownServer, command = '', credentials: ServerCredentials = {}) => {
      set({ connecting: true, failed: null })
      changing.current.add(name)
      try {
        if (!signedIn || !(await accessToken())) throw new Error(text.notAuthenticated)
        const { server } = await playgroundApi.connect(name, command, credentials)
        say('system', text.connectedTo(name))
        set(({ servers: all, signIns }) => ({
          connecting: false,
          servers: [...all.filter((one) => one.name !== name), server],
          signIns: signIns.filter((one) => one.name !== name),
        }))
        await loadTools()
      } catch (error) {
        if (await handleSignIn(error, name)) throw error
        const reason = messageOf(error, 'no answer')
        const said = reason === text.notAuthenticated ? reason : text.connectFailed(reason)
        set({ failed: { name, reason: said } })
        say('error', said)
        say('warning', text.connectHint)
        throw error
      } finally {
        changing.current.delete(name)
        set({ connecting: false })
      }
    },
    [signedIn, set, say, loadTools, handleSignIn],
  )

  const drop = useCallback(
    (name: string) => {
      drops.current++
      say('system', text.disconnectedFrom(name))
      set(({ servers: all, tools }) => ({
        servers: all.filter((one) => one.name !== name),
        tools: tools.filter((tool) => tool.serverName !== name),
      }))
    },
    [set, say],
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
    [set, say],
  )

  const refresh = useCallback(async () => {
    try {
      await loadTools()
    } catch (error) {
      say('error', text.error(messageOf(error, 'no answer')))
    }
  }, [loadTools, say])

  const { stream, restart } = useEventStream(signedIn, ownCalls, say, ({ type, serverName, data }) => {
    if (changing.current.has(serverName) || state.loading) return
    const known = state.servers.some(({ name }) => name === serverName)
    const count = state.tools.filter((tool) => tool.serverName === serverName).length
    if (type === 'disconnected' && known) drop(serverName)
    else if (type === 'connected' && !known) {
      say('system', text.connectedTo(serverName))
      void refresh()
    } else if (type === 'tools' && known && data.result !== count) void refresh()
  })

  const retry = useCallback(async () => {
    set({ connecting: false, loading: false })
    try {
      await connect()
    } catch (error) {
      say('error', text.retryFailed(messageOf(error, 'no answer')))
    }
    restart()
  }, [connect, set, say, restart])

  const begin = useRef(connect)
  begin.current = connect
  useEffect(() => {
    if (signedIn) void begin.current().catch(() => {})
  }, [signedIn])

  return { stream, connect, disconnect, acceptChanges, refresh, retry }
}
