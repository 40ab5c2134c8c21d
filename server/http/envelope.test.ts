import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import Fastify, { type FastifyRequest } from 'fastify'
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { route } from '#contract/route.ts'
import { routes } from '#contract/routes.ts'
import type { Deps } from '../deps.ts'
import { closeAfterTests } from '../testing/close-after-tests.ts'
import { startTestServer } from '../testing/harness.ts'
import { joinWorkspace, startSession } from '../testing/session.ts'
import { serve } from './envelope.ts'
import { userContext } from './session-guard.ts'

const server = await closeAfterTests(startTestServer())

const place = route({
  method: 'GET',
  path: '/api/places/{id}',
  auth: 'public',
  summary: 'A place',
  params: z.object({ id: z.string() }),
  status: 200,
  data: z.object({ name: z.string() }),
  errors: [],
})

function serving(answer: unknown) {
  const app = Fastify()
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  serve(app, {} as Deps, place, () => answer as { name: string })
  return app.inject('/api/places/1')
}

describe('serving the contract', () => {
  test.each(Object.values(routes).map(({ method, path }) => [method, path] as const))(
    '%s %s is served',
    (method, path) => {
      expect(server.app.hasRoute({ method, url: path.replaceAll(/\{(\w+)\}/g, ':$1') })).toBe(true)
    },
  )

  test('a deprecated route says so on every answer', async () => {
    const app = Fastify()
    app.setValidatorCompiler(validatorCompiler)
    app.setSerializerCompiler(serializerCompiler)
    const deprecated = { since: '2026-01-31', ends: '2026-12-31', instead: 'Use /api/spots.' }
    const deps = { config: { PUBLIC_URL: 'https://data.example' } } as Deps
    serve(app, deps, { ...place, deprecated }, ({ input }) => {
      if (input.params.id === '0') throw new Error('broken')
      return { name: 'Here' }
    })
    for (const [id, status] of [
      ['1', 200],
      ['0', 500],
    ] as const) {
      const reply = await app.inject(`/api/places/${id}`)
      expect(reply.statusCode).toBe(status)
      expect(reply.headers).toMatchObject({
        deprecation: '@1769817600',
        sunset: 'Thu, 31 Dec 2026 00:00:00 GMT',
        link: '<https://data.example/docs/deprecation>; rel="deprecation"; type="text/html"',
      })
    }
    expect((await serving({ name: 'Here' })).headers).not.toHaveProperty('deprecation')
  })

  test('a field that the contract does not name stays in the server', async () => {
    const reply = await serving({ name: 'Here', hash: 'secret' })
    expect([reply.statusCode, reply.body]).toEqual([200, '{"success":true,"data":{"name":"Here"}}'])
  })

  test('an answer that breaks the contract is not sent', async () => {
    const reply = await serving({ name: 5, hash: 'secret' })
    expect(reply.statusCode).toBe(500)
    expect(reply.body).not.toContain('secret')
  })

  test('a route without guard has no user: it fails instead of answering', () => {
    expect(() => userContext({ routeOptions: { url: '/api/x' } } as FastifyRequest)).toThrow('no session guard')
  })
})

describe('a request whose body is held back', () => {
  const leave =
    'delete from account_members where user_id = $1 and account_id <> (select id from accounts where personal_of = $1)'
  test.each([
    ['removed', leave, 404],
    ['demoted', `update account_members set role = 'member' where user_id = $1 and role = 'admin'`, 403],
    ['signed out', 'delete from auth.sessions where user_id = $1', 401],
  ])('until its person is %s does nothing', async (_case, change, status) => {
    const [host, guest] = [await startSession(server), await startSession(server)]
    const workspace = await joinWorkspace(server, host, guest, 'admin')
    const counted = vi.spyOn(server.deps.limits, 'count')
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
    const answer = text(socket)
    const body = JSON.stringify({ url: 'https://thief.example/hook' })
    socket.write(
      `PUT /api/billing/alert-webhook HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n` +
        `Authorization: Bearer ${guest.token}\r\nX-Workspace-Id: ${workspace}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
    )
    // The guard has let the person through; the server waits for the body.
    await vi.waitUntil(() => counted.mock.calls.some(([name]) => name === 'writes'), { interval: 20, timeout: 120_000 })
    counted.mockRestore()
    await server.db.pool.query(change, [guest.userId])
    socket.write(body)
    expect(await answer).toContain(`HTTP/1.1 ${status} `)
    expect((await host.call('GET', '/api/billing/alert-webhook')).body.data.alertWebhook).toBeNull()
  })
})
