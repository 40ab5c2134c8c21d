import Fastify, { type RouteOptions } from 'fastify'
import { describe, expect, test } from 'vitest'
import { buildApp } from '#server/app.ts'
import { startTestServer } from '#server/testing/harness.ts'
import { call, startSession } from '#server/testing/session.ts'
import { closeAfterTests } from '../../testing/close-after-tests.ts'
import { limitNameOf, registerLimits } from './enforce.ts'
import { type LimitRow, limitTable } from './table.ts'

/** Every route of the product, as Fastify registered it. */
const routes: RouteOptions[] = []
const server = await closeAfterTests(startTestServer())
const app = await buildApp(server.deps, [
  async (bare) => {
    bare.addHook('onRoute', (route) => void routes.push(route))
  },
])
await app.ready()
await app.close()

const path = (route: RouteOptions) => `${route.method} ${route.url}`

describe('the table', () => {
  test('has a row for every route, whose body the route takes', () => {
    expect(routes.length).toBeGreaterThan(120)
    for (const route of routes) {
      const row: LimitRow = limitTable[limitNameOf(route)]
      expect([path(route), route.bodyLimit]).toEqual([path(route), row.bodyBytes ?? 65_536])
    }
  })

  test('counts or says why not, for every row', () => {
    for (const [name, row] of Object.entries<LimitRow>(limitTable))
      expect([name, Boolean(row.address || row.person || row.installation || row.note)]).toEqual([name, true])
  })

  test('names no route that is not there', () => {
    const used = new Set(routes.map((route) => limitNameOf(route)))
    const registered = new Set(
      routes.flatMap(({ method, url }) => [method].flat().map((one) => `${one} ${url.replaceAll(/:(\w+)/g, '{$1}')}`)),
    )
    for (const [name, { routes: listed = [] }] of Object.entries<LimitRow>(limitTable)) {
      if (listed.length > 0) expect([name, used.has(name as never)]).toEqual([name, true])
      // The documentation is only served where it was built.
      for (const one of listed.filter((route) => !route.includes('*') && !route.startsWith('ANY ')))
        if (one !== 'GET /docs' && one !== 'GET /favicon.ico') expect(registered).toContain(one)
    }
  })

  test('large bodies are the exception', () => {
    const large = routes.filter(({ bodyLimit }) => bodyLimit! > 65_536).map(({ url }) => url.split('/', 3).join('/'))
    expect([...new Set(large)].sort()).toEqual([
      '/api/playground',
      '/mcp',
      '/mcp/',
      '/operator/api',
      '/v1/*',
      '/v1/meter',
      '/webhooks/stripe',
    ])
  })

  test('a route without a row is not registered', () => {
    const app = Fastify()
    registerLimits(app, server.deps.limits)
    expect(() => app.post('/api/new/:id', async () => 1)).toThrow(
      'POST /api/new/{id} has no limits. Give it a row in server/http/limits/table.ts.',
    )
  })
})

describe('what is over a limit', () => {
  const over = async (count: number, send: () => Promise<Response | { status: number }>) => {
    const statuses: number[] = []
    for (let n = 0; n < count; n++) statuses.push((await send()).status)
    return statuses
  }

  test('a stranger: 60 previews of invitations a minute, in the envelope', async () => {
    const preview = () => call(server, 'POST', '/api/invitations/preview', { body: { token: 'x' } })
    expect(await over(60, preview)).not.toContain(429)
    const refused = await preview()
    expect([refused.status, refused.body]).toEqual([
      429,
      {
        success: false,
        error: expect.stringMatching(/^Too many requests\. Try again in \d+ s\.$/),
        code: 'rate_limited',
      },
    ])
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60)
  })

  test('a person: 120 changes a minute, and nobody else', async () => {
    const [person, other] = [await startSession(server), await startSession(server)]
    const leave = () => person.call('POST', '/api/team/leave')
    expect(await over(120, leave)).not.toContain(429)
    expect((await leave()).status).toBe(429)
    expect((await person.call('GET', '/api/team')).status).toBe(200)
    expect((await other.call('POST', '/api/team/leave')).status).toBe(409)
  })

  test('a body: 64 KB, before anything reads it', async () => {
    const numbers = (bytes: number) => `{"token":[${'1,'.repeat(bytes / 2)}1],"__proto__":1}`
    const send = (body: string) => call(server, 'POST', '/api/auth/callback', { body })
    const [large, small] = [await send(numbers(1_000_000)), await send(numbers(60_000))]
    expect([large.status, large.body.code]).toEqual([413, 'payload_too_large'])
    expect([small.status, small.body.code]).toEqual([400, 'bad_json'])
  })
})
