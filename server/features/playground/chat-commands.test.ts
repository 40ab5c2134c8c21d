import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '#server/testing/harness.ts'
import { startSession, type TestSession } from '#server/testing/session.ts'
import { commandList } from '../../../web/features/playground/chat/command-list.ts'
import { parseCommand } from '../../../web/features/playground/chat/commands.ts'

let server: TestServer
let person: TestSession
beforeAll(async () => {
  server = await startTestServer()
  person = await startSession(server)
  await person.call('POST', '/api/billing/subscribe-free-plan', { body: {} })
  await person.call('POST', '/api/playground/servers/finmeter/connect', { body: {} })
})
afterAll(() => server?.close())

const typed: Record<string, string> = { 'add N + N': 'add 2 + 3', 'echo TEXT': 'echo hello' }

test.each(commandList.filter(({ command }) => command !== 'help').map(({ command }) => [typed[command] ?? command]))(
  'the advertised command "%s" succeeds',
  async (line) => {
    const command = parseCommand(line)
    const { status, body } = await person.call('POST', `/api/playground/servers/finmeter/tools/${command.tool}/call`, {
      body: command.tool === null ? {} : { arguments: command.arguments },
    })
    expect([status, body.data?.result.isError ?? false, body.data?.result.content[0]?.text]).toEqual([
      200,
      false,
      expect.any(String),
    ])
  },
)

test('help is understood', () => {
  expect(commandList.map(({ command }) => command)).toContain('help')
  expect(parseCommand('help')).toEqual({ tool: null, help: true })
  expect(parseCommand('Help!')).toEqual({ tool: null, help: true })
})
