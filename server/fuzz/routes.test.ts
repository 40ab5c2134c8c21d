import { beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { errorCatalog } from '#contract/errors.ts'
import type { Route } from '#contract/route.ts'
import { routes } from '#contract/routes.ts'
import { grantCredits } from '../features/credits/grant.ts'
import { closeAfterTests } from '../testing/close-after-tests.ts'
import { insertAccount, insertKey } from '../testing/factories.ts'
import { startTestServer } from '../testing/harness.ts'
import { startSession, type TestSession } from '../testing/session.ts'
import { type JsonSchema, jsonFromSchema } from './json-from-schema.ts'
import { createRandom, fuzzRuns, fuzzSeed, type Random } from './random.ts'

/** Requests for each route. */
const EACH = Math.ceil(fuzzRuns() / 500)
/** A person may make 120 changes a minute. */
const REQUESTS_PER_PERSON = 50

let key: string
const server = await closeAfterTests(startTestServer({ env: { LOG_LEVEL: 'error', TRUST_PROXY: '127.0.0.1' } }))
const made = await insertKey(server.db, await insertAccount(server.db))
const { accountId } = made
beforeAll(async () => {
  await server.db.pool.query('update accounts set rate_limit_per_minute = 0 where id = $1', [accountId])
  const grant = { accountId, kind: 'promo', amount: 100_000_000, sourceType: 'test', sourceId: '1' } as const
  await grantCredits(server.db.kysely, grant)
  key = made.value
})

const schemaOf = (schema: z.ZodType | undefined): JsonSchema | undefined =>
  schema && (z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema)
/** Each address may make a limited number of requests, and all of these come from this machine. */
const address = ({ below }: Random) => `203.0.${below(256)}.${below(256)}`
const text = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))

/** The URL of a path with generated parameters and query. */
function urlOf(path: string, params: JsonSchema | undefined, query: JsonSchema | undefined, random: Random): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const made = text(jsonFromSchema(params?.properties?.[name] ?? { type: 'string' }, random)).toWellFormed()
    return encodeURIComponent(made).replaceAll('.', '%2e')
  })
  const made = query ? jsonFromSchema({ ...query, type: 'object' }, random) : null
  const pairs = made !== null && typeof made === 'object' ? Object.entries(made) : []
  const search = pairs.map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(text(value).toWellFormed())}`,
  )
  return filled + (search.length > 0 ? `?${search.join('&')}` : '')
}

/** Sends one request and checks its answer. Returns the status. */
async function send(method: string, url: string, headers: Record<string, string>, body: unknown, isV1: boolean) {
  const sent = method === 'GET' || body === undefined ? undefined : JSON.stringify(body)
  const answer = await fetch(server.url + url, {
    method,
    redirect: 'manual',
    headers: { ...headers, ...(sent !== undefined && { 'content-type': 'application/json' }) },
    ...(sent !== undefined && { body: sent }),
    signal: AbortSignal.timeout(60_000),
  })
  const request = `${method} ${url} ${sent ?? ''}`.slice(0, 2_000)
  const said = await answer.text()
  if (answer.status === 500) expect.fail(`500 for ${request}: ${said}`)
  if (answer.status < 400) return answer.status
  const parsed = JSON.parse(said) as Record<string, unknown>
  expect([request, Object.hasOwn(errorCatalog, String(parsed.code))]).toEqual([request, true])
  expect(errorCatalog[parsed.code as keyof typeof errorCatalog].status).toBe(answer.status)
  if (isV1)
    expect(parsed).toMatchObject({ status: answer.status, detail: expect.any(String), docs: expect.any(String) })
  else expect(parsed).toEqual({ success: false, error: expect.any(String), code: parsed.code })
  return answer.status
}

const all = Object.entries<Route>(routes)
const limits = { timeout: 600_000 }
const downloads = new Set(['GET /api/playground/stream'])

test.each(all.filter(([, { method, path }]) => !downloads.has(`${method} ${path}`)))(
  '%s takes generated input without failing',
  limits,
  async (name, route) => {
    const at = all.findIndex(([other]) => other === name)
    const random = createRandom(fuzzSeed() * 10_000 + at)
    const [params, query, own] = [schemaOf(route.params), schemaOf(route.query), schemaOf(route.body)]
    const neighbors = [at - 1, at + 1].map((index) => schemaOf(all[index]?.[1].body)).filter((one) => one !== undefined)
    let person: TestSession | undefined
    for (let n = 0; n < EACH; n++) {
      if (n % REQUESTS_PER_PERSON === 0) person = await startSession(server)
      const schema = random.below(4) === 0 ? random.pick([own, ...neighbors]) : own
      const headers = {
        'x-forwarded-for': address(random),
        ...(route.auth === 'session' && { authorization: `Bearer ${person!.token}` }),
      }
      const body = schema ? jsonFromSchema(schema, random) : undefined
      await send(route.method, urlOf(route.path, params, query, random), headers, body, false)
    }
  },
)

test('every tool takes generated input over REST without failing, and some calls succeed', limits, async () => {
  let succeeded = 0
  for (const [at, { tool }] of server.deps.tools.current().all.entries()) {
    if (!tool.rest) continue
    const random = createRandom(fuzzSeed() * 20_000 + at)
    const own = schemaOf(tool.input as z.ZodType)
    const neighbor = schemaOf(server.deps.tools.current().all[at + 1]?.tool.input as z.ZodType | undefined)
    const { method, path } = tool.rest
    for (let n = 0; n < EACH * 2; n++) {
      const schema = random.below(5) === 0 ? (neighbor ?? own) : own
      const headers = { 'x-api-key': key, 'x-forwarded-for': address(random) }
      const status =
        method === 'GET'
          ? await send(method, urlOf(path, own, schema, random), headers, undefined, true)
          : await send(method, urlOf(path, own, undefined, random), headers, jsonFromSchema(schema, random), true)
      if (status === 200) succeeded++
    }
  }
  expect(succeeded).toBeGreaterThan(EACH)
})
