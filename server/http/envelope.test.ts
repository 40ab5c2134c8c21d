import Fastify, { type FastifyRequest } from 'fastify'
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { route } from '#contract/route.ts'
import { routes } from '#contract/routes.ts'
import type { Deps } from '../deps.ts'
import { startTestServer, type TestServer } from '../testing/harness.ts'
import { serve } from './envelope.ts'
import { userContext } from './session-guard.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

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
