import { useCallback, useRef } from 'react'
import type { PlaygroundServer, ToolResult } from '#contract/playground.ts'
import { ApiError, messageOf } from '../../lib/http/api-error.ts'
import { symbolOf } from '../answer/comparison.ts'
import { costOf, type MadeCall, together } from './call-log/made-call.ts'
import type { useCallLog } from './call-log/use-call-log.ts'
import type { Call } from './chat/language/parse-command.ts'
import { type ChatMessage, type MessageType, newMessage } from './chat/messages/messages.ts'
import type { Say } from './chat/messages/use-messages.ts'
import type { Question } from './chat/question-panel.tsx'
import { ownServer } from './own-server.ts'
import { type Answers, playgroundApi } from './playground-api.ts'
import type { SetState } from './playground-state.ts'
import { playgroundText as text } from './text.ts'
import type { HandleSignIn } from './use-sign-ins.ts'

/** The result of a call, for its caller. */
export interface ToolOutcome {
  content: string
  credits: number
  /** What the chat says about it; null if nothing was called, or more is asked first. */
  message: ChatMessage | null
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

type Performed = { made: MadeCall } & ({ result: ToolResult } | { reason: string; shown: boolean })

/** Calls of tools and reads of resources, reported in the chat and the log. */
export function useCalls({ servers, keyId, set, say, note, handleSignIn, ownCalls }: Parts) {
  const latest = useRef({ servers, keyId })
  latest.current = { servers, keyId }

  /** Calls a tool and logs it. Without a server, says so and returns null. */
  const perform = useCallback(
    async (tool: string, args: unknown, serverName?: string, answers?: Answers): Promise<Performed | null> => {
      const connected = latest.current.servers
      const name = serverName ?? connected[0]?.name
      if (name === undefined || connected.length === 0) {
        say('error', text.noServers)
        return null
      }
      const made = { serverName: name, tool, arguments: (args ?? {}) as Record<string, unknown>, entries: [] }
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
        const cost = costOf(result)
        const entry = note({
          serverName: name,
          label: tool,
          tool,
          arguments: args,
          call,
          result,
          credits: cost.credits,
        })
        return { result, made: { ...made, ...cost, durationMs: call.durationMs, entries: [entry] } }
      } catch (error) {
        // Refused before the tool ran, so nothing was charged. After other failures, only the receipts show the cost.
        const refused = error instanceof ApiError && error.status >= 400 && error.status < 500
        return {
          reason: text.callFailed(messageOf(error, 'no answer')),
          shown: await handleSignIn(error, name),
          made: { ...made, credits: refused ? 0 : null, remaining: null, receipts: [], durationMs: null },
        }
      } finally {
        set(({ calling }) => ({ calling: calling.toSpliced(calling.indexOf(tool), 1) }))
      }
    },
    [set, say, note, handleSignIn, ownCalls],
  )

  const report = useCallback(
    (performed: Performed, args: unknown): ChatMessage | null => {
      const { made: call } = performed
      const tell = (type: MessageType, content: string, data?: unknown) => {
        say(type, content, data, { call })
        return newMessage(type, content, { ...(data !== undefined && { data }), call })
      }
      if ('reason' in performed) return performed.shown ? null : tell('error', performed.reason)
      const { result } = performed
      if (result.resultType === 'input_required') {
        set({ question: { serverName: call.serverName, tool: call.tool, arguments: args, result } })
        say('info', text.toolAsks(call.tool))
        return null
      }
      return result.isError
        ? tell('error', text.toolError(textOf(result.content)), result)
        : tell('success', text.toolAnswered(call.tool), result)
    },
    [set, say],
  )

  /** Returns the tool's result or error, and its cost. */
  const callTool = useCallback(
    async (tool: string, args: unknown = {}, serverName?: string, answers?: Answers): Promise<ToolOutcome> => {
      const performed = await perform(tool, args, serverName, answers)
      if (!performed) return { content: text.noServers, credits: 0, message: null }
      const message = report(performed, args)
      const content = 'result' in performed ? textOf(performed.result.content) : performed.reason
      return { content, credits: performed.made.credits ?? 0, message }
    },
    [perform, report],
  )

  /** Makes one call for each symbol and reports them as one comparison, or each by itself if one failed. */
  const compare = useCallback(
    async (calls: readonly Call[]) => {
      const own = latest.current.servers.find(({ name }) => name === ownServer)?.name
      const all = (await Promise.all(calls.map((one) => perform(one.tool, one.arguments, own)))).filter(
        (one) => one !== null,
      )
      const results = all.flatMap((one) => ('result' in one && !one.result.isError ? [one.result] : []))
      const [first, ...others] = all
      if (!first) return
      if (results.length < calls.length) {
        for (const [index, one] of all.entries()) report(one, calls[index]!.arguments)
        return
      }
      const symbols = results.map((result) => symbolOf(result) ?? first.made.tool)
      say(
        'success',
        text.compared(symbols),
        { comparison: results },
        { call: together([first.made, ...others.map(({ made }) => made)], symbols) },
      )
    },
    [perform, report, say],
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

  return { callTool, compare, answer, readResource }
}

function textOf(content: { type: string; text?: unknown }[]): string {
  return content.map((block) => (block.type === 'text' ? String(block.text) : '')).join('\n')
}
