import { useEffect, useMemo, useRef, useState } from 'react'
import { ownServer } from '../../own-server.ts'
import { playgroundApi } from '../../playground-api.ts'
import type { ToolOutcome } from '../../use-calls.ts'
import type { MessageType } from '../messages/messages.ts'
import { createModelChat, type ModelChatState } from './model-chat.ts'

const idle: ModelChatState = { busy: false, approval: null }

/** The conversation with the operator's model while the page is open. `keyId` is the key that calls are charged to. */
export function useModelChat(
  surroundings: {
    callTool: (tool: string, args: unknown, serverName: string) => Promise<Pick<ToolOutcome, 'content' | 'credits'>>
    say: (type: MessageType, content: string, data?: unknown) => void
  },
  keyId: string | null,
) {
  const [state, setState] = useState(idle)
  const now = useRef({ ...surroundings, keyId })
  now.current = { ...surroundings, keyId }
  const chat = useMemo(
    () =>
      createModelChat({
        turn: (messages, signal) => playgroundApi.chat(messages, now.current.keyId, signal),
        call: (tool, args) => now.current.callTool(tool, args, ownServer),
        say: (...message) => now.current.say(...message),
        onChange: setState,
      }),
    [],
  )
  useEffect(() => () => chat.stop(), [chat])
  return useMemo(() => ({ ...state, ...chat }), [state, chat])
}
