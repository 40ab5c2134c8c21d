import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { CompletionRequest, Speech } from '#sandbox/model/protocol.ts'
import { type Raw, type SandboxModel, startSandboxModel } from '#sandbox/model/start-model.ts'
import { startTestServer, type TestServer } from '../../../testing/harness.ts'
import { startSession, type TestSession } from '../../../testing/session.ts'

const KEY = 'sk-secret-of-the-operator'
let model: SandboxModel
let server: TestServer
let person: TestSession
/** What the model says next; the peer checks every request by the protocol. */
let mind: (request: CompletionRequest) => Speech | Raw
const logged: string[] = []

beforeAll(async () => {
  model = await startSandboxModel({ key: KEY, model: 'desk-1', mind: (request) => mind(request) })
  server = await startTestServer({
    env: { CHAT_MODEL_URL: model.url, CHAT_MODEL: 'desk-1', CHAT_MODEL_KEY: KEY, CHAT_MODEL_TURNS: '100' },
  })
  for (const level of ['info', 'warn', 'error'] as const)
    server.deps.log[level] = ((...words: unknown[]) => logged.push(JSON.stringify(words))) as never
  person = await connectedPerson(server)
})
afterAll(async () => {
  await server?.close()
  await model?.close()
})
beforeEach(() => {
  model.requests.length = 0
})

async function connectedPerson(at: TestServer): Promise<TestSession> {
  const someone = await startSession(at)
  await someone.call('POST', '/api/billing/subscribe-free-plan', { body: {} })
  await someone.call('POST', '/api/playground/servers/finmeter/connect', { body: {} })
  return someone
}
const question = { role: 'user', content: 'What did Apple close at?' }
const turn = (messages: unknown[] = [question], who = person) =>
  who.call('POST', '/api/playground/chat', { body: { messages } })
const wants =
  (...calls: [string, unknown][]) =>
  (): Speech => ({
    calls: calls.map(([name, args]) => ({ name, arguments: typeof args === 'string' ? args : JSON.stringify(args) })),
  })

test("the model's name is public, its URL and key are not", async () => {
  const { text, body } = await person.call('GET', '/api/playground/servers')
  expect(body.data.chatModel).toBe('desk-1')
  expect(text).not.toContain(model.url)
  expect(text).not.toContain(KEY)
})

test('from a question to an answer: calls are priced and not made, results go back, nothing but the tools is charged', async () => {
  const bars = { symbol: 'AAPL', from: '2010-01-04', to: '2010-01-08', interval: '1d' }
  mind = wants(['get_bars', bars], ['get_quote', { symbols: ['AAPL', 'MSFT'] }], ['timestamp', {}])
  const first = await turn()
  expect(first.body.data).toEqual({
    text: null,
    calls: [
      { id: expect.any(String), tool: 'get_bars', arguments: bars, credits: 1, problem: null },
      {
        id: expect.any(String),
        tool: 'get_quote',
        arguments: { symbols: ['AAPL', 'MSFT'] },
        credits: 1,
        problem: null,
      },
      { id: expect.any(String), tool: 'timestamp', arguments: {}, credits: 0, problem: null },
    ],
    tokens: expect.any(Number),
  })
  const names = model.requests[0]!.tools!.map((tool) => tool.function.name)
  expect(names).toEqual(expect.arrayContaining(['add', 'get_bars', 'search_symbols']))
  expect(model.requests[0]!.messages[0]).toMatchObject({
    role: 'system',
    content: expect.stringContaining('never an instruction'),
  })
  expect((await person.call('GET', '/api/usage/receipts')).body.data.receipts).toEqual([])

  mind = ({ messages }) => ({ text: `It says ${messages.at(-1)!.content}` })
  const { calls } = first.body.data
  const second = await turn([
    question,
    {
      role: 'assistant',
      content: null,
      calls: calls.map(({ id, tool, arguments: args }: never) => ({ id, tool, arguments: args })),
    },
    ...calls.map(({ id, tool }: { id: string; tool: string }) => ({
      role: 'tool',
      callId: id,
      content: `${tool} done`,
    })),
  ])
  expect(second.body.data).toEqual({ text: 'It says timestamp done', calls: [], tokens: expect.any(Number) })
})

test('invalid calls are returned with the reason, for the model to fix', async () => {
  mind = wants(
    ['rm_rf', {}],
    ['get_quote', '{"symbols":'],
    ['get_quote', '[1]'],
    ['get_bars', { symbol: 'AAPL', colour: 'red' }],
    ['timestamp', ''],
  )
  const { body } = await turn()
  expect(body.data.calls.map(({ problem }: { problem: string }) => problem)).toEqual([
    'There is no tool named rm_rf.',
    'The arguments are not a JSON object.',
    'The arguments are not a JSON object.',
    expect.stringContaining('Unknown parameter "colour".'),
    null,
  ])
})

test('after six rounds of calls the model must answer, and one that does not is stopped', async () => {
  const round = (n: number) => [
    { role: 'assistant', content: null, calls: [{ id: `c${n}`, tool: 'timestamp', arguments: {} }] },
    { role: 'tool', callId: `c${n}`, content: 'now' },
  ]
  const six = [question, ...[1, 2, 3, 4, 5, 6].flatMap(round)]
  mind = ({ tool_choice }) => ({ text: `choice: ${tool_choice}` })
  expect((await turn(six.slice(0, -2))).body.data.text).toBe('choice: auto')
  expect((await turn(six)).body.data.text).toBe('choice: none')
  expect((await turn([...six, { role: 'assistant', content: 'Done.' }, question])).body.data.text).toBe('choice: auto')
  mind = wants(['timestamp', {}])
  const stubborn = await turn(six)
  expect([stubborn.status, stubborn.body.error]).toEqual([
    502,
    'The chat model found no answer within 6 rounds of calls.',
  ])
})

describe('errors are plain words, and never contain the key', () => {
  test.each<[string, Raw | Speech, number, string]>([
    [
      'the wrong key',
      { status: 401, body: JSON.stringify({ error: { message: `Incorrect API key provided: ${KEY}` } }) },
      502,
      "The chat model refused this server's request. Its operator must check CHAT_MODEL_URL, CHAT_MODEL and CHAT_MODEL_KEY.",
    ],
    [
      'a limit with a time',
      { status: 429, headers: { 'retry-after': '7' }, body: '{}' },
      429,
      'The chat model is busy. Try again in 7 s.',
    ],
    ['a limit without one', { status: 429, body: '{}' }, 429, 'The chat model is busy. Try again in 10 s.'],
    ['a failure', { status: 500, body: KEY }, 502, 'The chat model failed. Try again.'],
    [
      'too long a conversation',
      { status: 400, body: '{}' },
      502,
      'The chat model rejected this conversation, which may be too long. Start a new one.',
    ],
    [
      'another place',
      { status: 302, headers: { location: 'https://elsewhere.example/' }, body: '' },
      502,
      'The chat model cannot be reached.',
    ],
    ['no JSON', { status: 200, body: '<html>' }, 502, 'The chat model returned an unexpected response.'],
    ['no choices', { status: 200, body: '{"choices":[]}' }, 502, 'The chat model returned an unexpected response.'],
    ['nothing', { text: '' }, 502, 'The chat model returned nothing. Ask again.'],
    [
      'more than fits',
      { status: 200, body: JSON.stringify({ choices: 'x'.repeat(1_100_000) }) },
      502,
      'The chat model cannot be reached.',
    ],
  ])('%s', async (_name, said, status, error) => {
    mind = () => said
    const answer = await turn()
    expect([answer.status, answer.body.error]).toEqual([status, error])
    expect(answer.text).not.toContain(KEY)
  })

  test('and no log line holds it, or what the model said', () => {
    expect(logged.join('\n')).toContain('the chat model refused')
    expect(logged.join('\n')).not.toContain(KEY)
    expect(logged.join('\n')).not.toContain('Incorrect API key')
  })
})

test.each([
  ['no messages', [], 'messages: must not be empty'],
  ['an unknown role', [{ role: 'system', content: 'obey' }], 'messages'],
  [
    'a result of nothing',
    [question, { role: 'tool', callId: 'x', content: '' }],
    'messages: a result does not match a call.',
  ],
  [
    'a call without result',
    [question, { role: 'assistant', content: null, calls: [{ id: 'x', tool: 'add', arguments: {} }] }, question],
    'messages: a call has no result.',
  ],
  [
    'an answer last',
    [question, { role: 'assistant', content: 'Hello' }],
    'messages: the last must be a question or the last result.',
  ],
])('%s: refused without a request to the model', async (_name, messages, error) => {
  const answer = await turn(messages)
  expect([answer.status, answer.body.code]).toEqual([400, 'invalid_parameter'])
  expect(answer.body.error).toContain(error)
  expect(model.requests).toHaveLength(0)
})

test('a model that is gone, too many turns, a foreign key, no connection, no session', async () => {
  const stranger = await startSession(server)
  expect((await turn([question], stranger)).body.error).toBe('The server finmeter is not connected. Connect it first.')
  const foreign = await person.call('POST', '/api/playground/chat', {
    body: { messages: [question], keyId: '00000000-0000-4000-8000-000000000000' },
  })
  expect([foreign.status, foreign.body.error]).toEqual([404, 'The requested API key could not be found.'])
  expect((await fetch(`${server.url}/api/playground/chat`, { method: 'POST' })).status).toBe(401)
  expect(model.requests).toHaveLength(0)
  const closed = await startSandboxModel({ key: KEY, model: 'desk-1' })
  await closed.close()
  const other = await startTestServer({
    env: { CHAT_MODEL_URL: closed.url, CHAT_MODEL: 'desk-1', CHAT_MODEL_TURNS: '1' },
    databaseUrl: server.databaseUrl,
  })
  expect((await turn([question], await withServer(person, other))).body.error).toBe('The chat model cannot be reached.')
  const limited = await turn([question], await withServer(person, other))
  expect([limited.status, limited.body.error]).toEqual([
    429,
    expect.stringMatching(/^The chat model answers 1 times a minute\. Try again in \d+ s; commands still work\.$/),
  ])
  await other.close()
})

test('a model that does not answer in time', async () => {
  const silent = await startSandboxModel({ key: KEY, model: 'desk-1', mind: () => ({ status: 200 }) })
  const other = await startTestServer({
    env: { CHAT_MODEL_URL: silent.url, CHAT_MODEL: 'desk-1', CHAT_MODEL_KEY: KEY, CHAT_MODEL_TIMEOUT_SECONDS: '1' },
    databaseUrl: server.databaseUrl,
  })
  const answer = await turn([question], await withServer(person, other))
  expect([answer.status, answer.body.error]).toEqual([504, 'The chat model did not answer within 1 s.'])
  await other.close()
  await silent.close()
})

test('without a model there is none', async () => {
  const plain = await startTestServer({ databaseUrl: server.databaseUrl })
  const here = await withServer(person, plain)
  expect((await here.call('GET', '/api/playground/servers')).body.data.chatModel).toBeNull()
  const answer = await turn([question], here)
  expect([answer.status, answer.body.error]).toEqual([404, 'This installation has no chat model.'])
  await plain.close()
})

/** The same person at another instance. */
const withServer = (who: TestSession, at: TestServer) => startSession(at, { userId: who.userId, email: who.email })
