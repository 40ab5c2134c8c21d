import { useCallback, useRef } from 'react'
import type { PlaygroundServer } from '#contract/playground.ts'
import { messageOf } from '../../lib/http/api-error.ts'
import { creditsOf } from './call-log/log-entry.ts'
import type { useCallLog } from './call-log/use-call-log.ts'
import type { Question } from './chat/question-panel.tsx'
import type { Say } from './chat/use-messages.ts'
import { type Answers, playgroundApi } from './playground-api.ts'
import type { SetState } from './playground-state.ts'
import { playgroundText as text } from './text.ts'
import type { HandleSignIn } from './use-sign-ins.ts'

/** The result of a call, for its caller. */
export interface ToolOutcome {
  content: string
  credits: number
}

interface Parts {
  servers: readonly PlaygroundServer[]
  /** The API key that calls are charged to. */
  keyId: string | null
  set: SetState
  say: Say
  note: ReturnType<typeof useCallLog>['note']
  handleSignIn: HandleSignIn
  ownCalls: Set<string>
}

/** Calls of tools and reads of resources, reported in the chat and the log. */
export function useCalls({ servers, keyId, set, say, note, handleSignIn, ownCalls }: Parts) {
  const latest = useRef({ servers, keyId })
  latest.current = { servers, keyId }

  /** Returns the tool's result or error, and its cost. */
  const callTool = useCallback(
    async (tool: string, args: unknown = {}, serverName?: string, answers?: Answers): Promise<ToolOutcome> => {
      const connected = latest.current.servers
      const name = serverName ?? connected[0]?.name
      if (name === undefined || connected.length === 0) {
        say('error', text.noServers)
        return { content: text.noServers, credits: 0 }
      }
      const callId = crypto.randomUUID()
      ownCalls.add(callId)
      set(({ calling }) => ({ calling: [...calling, tool] }))
      try {
        const { result, call } = await playgroundApi.call(name, tool, {
          arguments: args,
          keyId: latest.current.keyId,
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
        if (await handleSignIn(error, name)) return { content: reason, credits: 0 }
        say('error', reason)
        return { content: reason, credits: 0 }
      } finally {
        set(({ calling }) => ({ calling: calling.toSpliced(calling.indexOf(tool), 1) }))
      }
    },
    [set, say, note, handleSignIn, ownCalls],
  )

  /** Continues the call that waits for input. */
  const answer = useCallback(
    (asked: Question, answers: Answers) => {
      set({ question: null })
      return callTool(asked.tool, asked.arguments, asked.serverName, answers)
    },
    [set, callTool],
  )

  const readResource = useCallback(
    async (serverName: string, uri: string) => {
      const callId = crypto.randomUUID()
      ownCalls.add(callId)
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
    [say, note, ownCalls],
  )

  return { callTool, answer, readResource }
}

function textOf(content: { type: string; text?: unknown }[]): string {
  return content.map((block) => (block.type === 'text' ? String(block.text) : '')).join('\n')
}
