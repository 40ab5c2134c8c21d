import { beforeEach, describe, expect, test } from 'vitest'
import type { ChatMessage, ChatTurn } from '#contract/chat.ts'
import { createModelChat, type ModelChat, type ModelChatState } from './model-chat.ts'

const call = (id: string, credits: number, problem: string | null = null) => ({
  id,
  tool: `tool_${id}`,
  arguments: { of: id },
  credits,
  problem,
})
const asks = (...calls: ChatTurn['calls']): ChatTurn => ({ text: null, calls, tokens: 10 })
const says = (text: string): ChatTurn => ({ text, calls: [], tokens: 5 })

let script: (ChatTurn | Error)[]
let turns: ChatMessage[][]
let called: string[]
let messages: [string, string][]
let states: ModelChatState[]
let chat: ModelChat
beforeEach(() => {
  script = []
  turns = []
  called = []
  messages = []
  states = []
  chat = createModelChat({
    turn: async (conversation) => {
      turns.push(structuredClone(conversation))
      const next = script.shift()!
      if (next instanceof Error) throw next
      return next
    },
    call: async (tool) => {
      called.push(tool)
      return { content: `${tool} said`, credits: 2 }
    },
    say: (type, content) => messages.push([type, content]),
    onChange: (state) => states.push(state),
  })
})
/** Waits for the approval prompt. */
const approvalShown = () => expect.poll(() => states.at(-1)?.approval ?? null).not.toBeNull()

test('free calls run immediately, their results go back, and the cost shown is the cost charged', async () => {
  script = [asks(call('a', 0), call('b', 0, 'b is wrong')), says('Done')]
  await chat.ask('Go')
  expect(called).toEqual(['tool_a'])
  expect(turns[1]).toEqual([
    { role: 'user', content: 'Go' },
    {
      role: 'assistant',
      content: null,
      calls: [
        { id: 'a', tool: 'tool_a', arguments: { of: 'a' } },
        { id: 'b', tool: 'tool_b', arguments: { of: 'b' } },
      ],
    },
    { role: 'tool', callId: 'a', content: 'tool_a said' },
    { role: 'tool', callId: 'b', content: 'b is wrong' },
  ])
  expect(messages).toEqual([
    ['assistant', 'Done'],
    ['info', '1 call · 2 credits charged · 15 model tokens'],
  ])
  expect(states.at(-1)).toEqual({ busy: false, approval: null })
})

describe('calls that cost credits', () => {
  test('wait for approval, with their price', async () => {
    script = [asks(call('a', 3), call('b', 1)), says('Done')]
    const done = chat.ask('Go')
    await approvalShown()
    expect(called).toEqual([])
    expect(states.at(-1)?.approval?.credits).toBe(4)
    expect(messages).toEqual([['assistant', 'I would like to call tool_a, tool_b. That costs 4 credits.']])
    chat.decide(true)
    await done
    expect(called).toEqual(['tool_a', 'tool_b'])
  })

  test('are not made when declined, and the model is informed', async () => {
    script = [asks(call('a', 3)), says('Then not')]
    const done = chat.ask('Go')
    await approvalShown()
    chat.decide(false)
    await done
    expect(called).toEqual([])
    expect(turns[1]!.at(-1)).toEqual({
      role: 'tool',
      callId: 'a',
      content: 'The user declined this call. Answer without it.',
    })
    expect(messages).toContainEqual(['info', '0 calls · 0 credits charged · 15 model tokens'])
  })

  test('are not made when stopped, and the question is dropped', async () => {
    script = [asks(call('a', 3)), says('Later')]
    const done = chat.ask('Go')
    await approvalShown()
    chat.stop()
    await done
    expect(called).toEqual([])
    expect(messages.at(-1)).toEqual(['info', 'Stopped.'])
    await chat.ask('Again')
    expect(turns[1]).toEqual([{ role: 'user', content: 'Again' }])
  })
})

test('an answered question stays in the conversation, a failed one does not', async () => {
  script = [says('One'), new Error('The chat model failed. Try again.'), says('Three')]
  for (const question of ['1', '2', '3']) await chat.ask(question)
  expect(messages).toContainEqual(['error', 'Error: The chat model failed. Try again.'])
  expect(turns[2]).toEqual([
    { role: 'user', content: '1' },
    { role: 'assistant', content: 'One', calls: [] },
    { role: 'user', content: '3' },
  ])
})

test('of a long conversation the latest whole questions are kept', async () => {
  for (let n = 0; n < 60; n++) {
    script = [says('x')]
    await chat.ask(String(n))
  }
  expect(turns.at(-1)!.length).toBeLessThanOrEqual(41)
  expect(turns.at(-1)![0]!.role).toBe('user')
})
