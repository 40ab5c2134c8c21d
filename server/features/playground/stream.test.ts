import { expect, test } from 'vitest'
import { closeAfterTests } from '../../testing/close-after-tests.ts'
import { startTestServer } from '../../testing/harness.ts'
import { joinWorkspace, startSession } from '../../testing/session.ts'

const server = await closeAfterTests(startTestServer())
const second = await closeAfterTests(startTestServer({ databaseUrl: server.databaseUrl }))
const person = await startSession(server)

const ticketOf = async (who = person): Promise<string> =>
  (await who.call('POST', '/api/playground/stream/ticket')).body.data.ticket
const open = (token: string, at = server) => fetch(`${at.url}/api/playground/stream?token=${encodeURIComponent(token)}`)

/** Collects what a stream sends; `next` waits for one more event. */
function eventsOf(answer: Response) {
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  return {
    async next() {
      for (;;) {
        const match = /data: (.*)\n\n/.exec(text)
        if (match) {
          text = text.slice(match.index + match[0].length)
          return JSON.parse(match[1]!)
        }
        const { done, value } = await reader.read()
        if (done) return null
        text += value
      }
    },
    cancel: () => reader.cancel(),
  }
}

test('a ticket opens one stream, once', async () => {
  const ticket = await ticketOf()
  const first = await open(ticket)
  expect([first.status, first.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
  const again = await open(ticket)
  expect([again.status, (await again.json()).error]).toEqual([
    401,
    'This stream ticket was already used or has expired. Request a new one and reconnect.',
  ])
  await first.body?.cancel()
})

test('expired, invalid and missing tickets are refused', async () => {
  const ticket = await ticketOf()
  await server.db.pool.query(`update playground_tickets set expires_at = app_now() - interval '1 second'`)
  for (const token of [ticket, 'st_invented', '', 'not.a.token']) expect((await open(token)).status).toBe(401)
})

test('the access token itself opens the stream, too', async () => {
  const answer = await open(person.token)
  expect(answer.status).toBe(200)
  await answer.body?.cancel()
})

test("a person's events reach only their own streams, on every instance", async () => {
  const stranger = await startSession(server)
  const [here, there, foreign] = await Promise.all([
    ticketOf().then((ticket) => open(ticket)),
    ticketOf().then((ticket) => open(ticket, second)),
    ticketOf(stranger).then((ticket) => open(ticket)),
  ])
  const streams = [eventsOf(here), eventsOf(there)]
  await person.call('POST', '/api/playground/servers/finmeter/connect', { body: {} })
  for (const stream of streams)
    expect(await stream.next()).toEqual({
      type: 'connected',
      message: 'Connected to finmeter',
      data: { name: 'finmeter' },
      serverName: 'finmeter',
    })
  await person.call('POST', '/api/playground/servers/finmeter/tools/add/call', {
    body: { arguments: { a: 1, b: 2 }, callId: 'mine' },
  })
  for (const stream of streams)
    expect(await stream.next()).toMatchObject({
      type: 'tool_result',
      data: { toolName: 'add', result: { structuredContent: { result: 3 } } },
      callId: 'mine',
    })
  await person.call('POST', '/api/playground/servers/finmeter/tools/add/call', { body: {} })
  expect(await streams[0]!.next()).toMatchObject({ type: 'tool_error', data: { error: 'a is required.' } })
  await person.call('POST', '/api/playground/servers/finmeter/resources/get', { body: { uri: 'dataset://nope' } })
  expect(await streams[0]!.next()).toMatchObject({ type: 'resource_error', data: { uri: 'dataset://nope' } })
  await person.call('POST', '/api/playground/servers/finmeter/resources/get', {
    body: { uri: 'dataset://us-cpi', callId: 'read' },
  })
  expect(await streams[0]!.next()).toMatchObject({
    type: 'resource',
    data: { uri: 'dataset://us-cpi' },
    callId: 'read',
  })
  const listed = await person.call('GET', '/api/playground/servers/finmeter/tools')
  expect(await streams[0]!.next()).toMatchObject({ type: 'tools', data: { result: listed.body.data.tools.length } })
  await stranger.call('POST', '/api/playground/servers/finmeter/connect', { body: {} })
  expect(await eventsOf(foreign).next()).toMatchObject({ type: 'connected' })
  for (const stream of streams) await stream.cancel()
})

test('an event larger than a notification arrives whole', async () => {
  const stream = eventsOf(await open(await ticketOf()))
  const text = 'x'.repeat(9_900)
  await person.call('POST', '/api/playground/servers/finmeter/tools/echo/call', { body: { arguments: { text } } })
  expect((await stream.next()).data.result.structuredContent.text).toBe(text)
  await stream.cancel()
})

test('a stream ends when its person leaves the workspace, and goes on when only the role changes', async () => {
  const guest = await startSession(server)
  const workspace = await joinWorkspace(server, person, guest, 'admin')
  const headers = { 'x-workspace-id': workspace }
  const { ticket } = (await guest.call('POST', '/api/playground/stream/ticket', { headers })).body.data
  const stream = eventsOf(await open(ticket))
  await person.call('PUT', `/api/team/members/${guest.userId}`, { body: { role: 'member' } })
  await guest.call('POST', '/api/playground/servers/finmeter/connect', { body: {}, headers })
  expect(await stream.next()).toMatchObject({ type: 'connected' })
  await person.call('DELETE', `/api/team/members/${guest.userId}`)
  while ((await stream.next()) !== null);
})
