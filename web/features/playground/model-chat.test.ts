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
let heard: ChatMessage[][]
let called: string[]
let said: [string, string][]
let states: ModelChatState[]
let chat: ModelChat
beforeEach(() => {
  script = []
  heard = []
  called = []
  said = []
  states = []
  chat = createModelChat({
    turn: async (messages) => {
      heard.push(structuredClone(messages))
      const next = script.shift()!
      if (next instanceof Error) throw next
      return next
    },
    call: async (tool) => {
      called.push(tool)
      return { said: `${tool} said`, credits: 2 }
    },
    say: (type, content) => said.push([type, content]),
    onChange: (state) => states.push(state),
  })
})
/** Waits until the person is asked. */
const asked = () => expect.poll(() => states.at(-1)?.approval ?? null, { timeout: 10_000 }).not.toBeNull()

test('free calls are made at once; their results go back; what it cost is told as charged', async () => {
  script = [asks(call('a', 0), call('b', 0, 'b is wrong')), says('Done')]
  await chat.ask('Go')
  expect(called).toEqual(['tool_a'])
  expect(heard[1]).toEqual([
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
  expect(said).toEqual([
    ['assistant', 'Done'],
    ['info', '1 call · 2 credits charged · 15 tokens of the model'],
  ])
  expect(states.at(-1)).toEqual({ busy: false, approval: null })
})

describe('calls that cost credits', () => {
  test('wait for consent, with their price', async () => {
    script = [asks(call('a', 3), call('b', 1)), says('Done')]
    const done = chat.ask('Go')
    await asked()
    expect(called).toEqual([])
    expect(states.at(-1)?.approval?.credits).toBe(4)
    expect(said).toEqual([['assistant', 'I would like to call tool_a, tool_b. That costs 4 credits.']])
    chat.decide(true)
    await done
    expect(called).toEqual(['tool_a', 'tool_b'])
  })

  test('are not made when declined, and the model hears so', async () => {
    script = [asks(call('a', 3)), says('Then not')]
    const done = chat.ask('Go')
    await asked()
    chat.decide(false)
    await done
    expect(called).toEqual([])
    expect(heard[1]!.at(-1)).toEqual({
      role: 'tool',
      callId: 'a',
      content: 'The person declined this call. Answer without it.',
    })
    expect(said).toContainEqual(['info', '0 calls · 0 credits charged · 15 tokens of the model'])
  })

  test('are not made when stopped, and the question is forgotten', async () => {
    script = [asks(call('a', 3)), says('Later')]
    const done = chat.ask('Go')
    await asked()
    chat.stop()
    await done
    expect(called).toEqual([])
    expect(said.at(-1)).toEqual(['info', 'Stopped.'])
    await chat.ask('Again')
    expect(heard[1]).toEqual([{ role: 'user', content: 'Again' }])
  })
})

test('an answered question is remembered, one that failed is not', async () => {
  script = [says('One'), new Error('The chat model failed. Try again.'), says('Three')]
  for (const question of ['1', '2', '3']) await chat.ask(question)
  expect(said).toContainEqual(['error', 'Error: The chat model failed. Try again.'])
  expect(heard[2]).toEqual([
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
  expect(heard.at(-1)!.length).toBeLessThanOrEqual(41)
  expect(heard.at(-1)![0]!.role).toBe('user')
})
