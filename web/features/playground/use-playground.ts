import { useCallback, useReducer, useRef } from 'react'
import { useSession } from '../../lib/auth/session.ts'
import { useCallLog } from './call-log/use-call-log.ts'
import { commandList } from './chat/command-list.ts'
import { parseCommand } from './chat/commands.ts'
import { useMessages } from './chat/use-messages.ts'
import { useModelChat } from './chat/use-model-chat.ts'
import { ownServer } from './playground-api.ts'
import { initialState, reduceState } from './playground-state.ts'
import { playgroundText as text } from './text.ts'
import { useCalls } from './use-calls.ts'
import { noPlaces } from './use-kept-scroll.ts'
import { useServers } from './use-servers.ts'
import { useSignIns } from './use-sign-ins.ts'

export type Playground = ReturnType<typeof usePlayground>

/** State and actions of the four tabs. `keyId` is the API key that calls are charged to. */
export function usePlayground(keyId: string | null) {
  const { user } = useSession()
  const [state, set] = useReducer(reduceState, initialState)
  const ownCalls = useRef(new Set<string>()).current
  const places = useRef(noPlaces()).current
  const { messages, say } = useMessages()
  const { log, note, clearLog } = useCallLog(user?.id)
  const handleSignIn = useSignIns(set, say)
  const serverActions = useServers({ signedIn: user !== null, state, set, say, handleSignIn, ownCalls })
  const callActions = useCalls({ servers: state.servers, keyId, set, say, note, handleSignIn, ownCalls })
  const { callTool } = callActions
  const model = useModelChat({ callTool, say }, keyId)
  const { ask } = model
  const { chatModel, servers } = state

  const send = useCallback(
    async (line: string) => {
      if (line.trim() === '') return
      say('user', line)
      const command = parseCommand(line)
      // Chat commands go to our own server if it is connected.
      const own = servers.find(({ name }) => name === ownServer)?.name
      if (command.tool === null && command.help)
        say('assistant', text.help(commandList.map(({ command, about }) => `${command}: ${about}`)))
      else if (command.tool !== null) await callTool(command.tool, command.arguments, own)
      else if (chatModel !== null) await ask(line)
      else say('assistant', text.plain)
    },
    [say, servers, callTool, ask, chatModel],
  )

  return {
    ...state,
    ...serverActions,
    ...callActions,
    connected: servers.length > 0,
    messages,
    send,
    log,
    clearLog,
    model,
    places,
  }
}
