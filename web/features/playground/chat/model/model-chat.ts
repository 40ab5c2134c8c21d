import type { ChatMessage, ChatTurn, ProposedCall } from '#contract/chat.ts'
import { messageOf } from '../../../../lib/http/api-error.ts'
import { playgroundText as text } from '../../text.ts'
import type { MessageType } from '../messages/messages.ts'

/** The route's limits: longer results are cut, older questions dropped. */
const maxResultCharacters = 16_000
const maxMessages = 40

/** The approval the user is asked for. */
export interface Approval {
  calls: ProposedCall[]
  credits: number
}

export interface ModelChatState {
  busy: boolean
  approval: Approval | null
}

interface Surroundings {
  turn: (messages: ChatMessage[], signal: AbortSignal) => Promise<ChatTurn>
  /** The tool's result, or its error. */
  call: (tool: string, args: Record<string, unknown>) => Promise<{ content: string; credits: number }>
  say: (type: MessageType, content: string, data?: unknown) => void
  onChange: (state: ModelChatState) => void
}

export interface ModelChat {
  ask: (question: string) => Promise<void>
  /** The user's answer to `approval`. */
  decide: (allowed: boolean) => void
  /** Stops the current question. */
  stop: () => void
}

/**
 * A conversation with the operator's model. Free calls run immediately; for others the user sees the price and decides.
 * A failed or stopped question is dropped from the conversation.
 */
export function createModelChat({ turn, call, say, onChange }: Surroundings): ModelChat {
  let conversation: ChatMessage[] = []
  let abort: AbortController | null = null
  let decided: ((allowed: boolean) => void) | null = null

  const approve = (approval: Approval, signal: AbortSignal): Promise<boolean> =>
    new Promise((done) => {
      decided = done
      signal.addEventListener('abort', () => done(false), { once: true })
      onChange({ busy: true, approval })
    })

  async function answer(messages: ChatMessage[], signal: AbortSignal): Promise<void> {
    const spent = { calls: 0, credits: 0, tokens: 0 }
    for (;;) {
      const { text: words, calls, tokens } = await turn(messages, signal)
      signal.throwIfAborted()
      spent.tokens += tokens ?? 0
      if (words !== null) say('assistant', words)
      messages.push({
        role: 'assistant',
        content: words,
        calls: calls.map(({ id, tool, arguments: args }) => ({ id, tool, arguments: args })),
      })
      if (calls.length === 0) return say('info', text.modelSpent(spent))
      const possible = calls.filter(({ problem }) => problem === null)
      const credits = possible.reduce((sum, one) => sum + one.credits, 0)
      if (credits > 0)
        say(
          'assistant',
          text.modelWants(
            possible.map(({ tool }) => tool),
            credits,
          ),
        )
      const allowed = credits === 0 || (await approve({ calls: possible, credits }, signal))
      onChange({ busy: true, approval: null })
      signal.throwIfAborted()
      if (!allowed) say('info', text.declined)
      for (const { id, tool, arguments: args, problem } of calls) {
        signal.throwIfAborted()
        let content = problem ?? text.declinedForModel
        if (problem === null && allowed) {
          const outcome = await call(tool, args)
          content = outcome.content
          spent.calls += 1
          spent.credits += outcome.credits
        }
        messages.push({ role: 'tool', callId: id, content: content.slice(0, maxResultCharacters) })
      }
    }
  }

  return {
    async ask(question) {
      if (abort) return
      abort = new AbortController()
      const { signal } = abort
      onChange({ busy: true, approval: null })
      const messages: ChatMessage[] = [...conversation, { role: 'user', content: question }]
      try {
        await answer(messages, signal)
        conversation = recent(messages)
      } catch (error) {
        if (signal.aborted) say('info', text.stopped)
        else say('error', text.error(messageOf(error, 'no answer')))
      } finally {
        abort = null
        onChange({ busy: false, approval: null })
      }
    },
    decide: (allowed) => decided?.(allowed),
    stop: () => abort?.abort(),
  }
}

/** The last questions, each with all its messages. */
function recent(messages: ChatMessage[]): ChatMessage[] {
  const start = messages.findIndex(({ role }, index) => role === 'user' && messages.length - index <= maxMessages)
  return start === -1 ? [] : messages.slice(start)
}
