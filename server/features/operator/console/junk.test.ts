import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { errorCatalog } from '#contract/errors.ts'
import type { OperatorRoute } from '#contract/operator/route.ts'
import { operatorRoutes } from '#contract/operator/routes.ts'
import { type JsonSchema, jsonFromSchema } from '#server/fuzz/json-from-schema.ts'
import { createRandom, fuzzRuns, fuzzSeed, type Random } from '#server/fuzz/random.ts'
import { startTestServer } from '#server/testing/harness.ts'
import { startSession } from '#server/testing/session.ts'
import { closeAfterTests } from '../../../testing/close-after-tests.ts'
import { accountOf } from '../../billing/testing/billing.ts'
import { openConsole, type TestOperator } from '../testing/console.ts'

/** Requests for each operation. */
const EACH = Math.ceil(fuzzRuns() / 1_000)
/** An operator may make 1,200 requests a minute. */
const EACH_OPERATOR = 900

const server = await closeAfterTests(startTestServer({ env: { SANDBOX: 'on', LOG_LEVEL: 'silent' } }))
/** Ids that exist, of each kind. They are tried in every place. */
let ids: string[]
beforeAll(async () => {
  const person = await startSession(server)
  const { workspace } = (await person.call('GET', '/api/auth/profile')).body.data
  await person.call('POST', '/api/billing/subscribe-free-plan', { body: {} })
  const key = await server.db.pool.query('select public_id as id from api_keys where account_id = $1', [
    await accountOf(server, person),
  ])
  const products = await server.db.pool.query('select price_id, product_id from plans limit 2')
  ids = [workspace.id, workspace.id, person.userId, key.rows[0].id, ...products.rows.flatMap(Object.values), '1', '2']
})

let operator: TestOperator
let left = 0
async function owner(): Promise<TestOperator> {
  if (left-- > 0 && (await operator.call('GET', '/session')).status === 200) return operator
  left = EACH_OPERATOR / 2
  operator = await openConsole(server, 'owner')
  return operator
}

const schemaOf = (schema: z.ZodType | undefined): JsonSchema | undefined =>
  schema && (z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema)
const text = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).toWellFormed()

function urlOf({ path, params, query }: OperatorRoute, random: Random): string {
  const [placed, asked] = [schemaOf(params), schemaOf(query)]
  const filled = path.replace('/operator/api', '').replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const made = random.below(3) > 0 ? random.pick(ids) : jsonFromSchema(placed?.properties?.[name], random)
    return encodeURIComponent(text(made)).replaceAll('.', '%2e')
  })
  const made = asked ? jsonFromSchema({ ...asked, type: 'object' }, random) : null
  const search = new URLSearchParams(
    Object.entries(made !== null && typeof made === 'object' ? made : {}).map(([name, value]) => [name, text(value)]),
  )
  return `${filled}?${search}`
}

/** Mostly with what every act has, so that the rest is looked at. */
function bodyOf({ body }: OperatorRoute, random: Random): unknown {
  const made = jsonFromSchema(schemaOf(body), random)
  if (made === null || typeof made !== 'object' || random.below(8) === 0) return made
  return { ...made, act_id: randomUUID(), reason: 'Asked for by the customer' }
}

const all = Object.entries<OperatorRoute>(operatorRoutes).filter(([name]) => name !== 'endSession')
test.each(all)('%s refuses or takes generated input, and never fails', { timeout: 120_000 }, async (name, route) => {
  const random = createRandom(fuzzSeed() * 1_000 + all.findIndex(([other]) => other === name))
  for (let n = 0; n < EACH; n++) {
    const url = urlOf(route, random)
    const body = route.method === 'GET' ? undefined : JSON.stringify(bodyOf(route, random))
    const answer = await (await owner()).call(route.method, url, body)
    const request = `${route.method} ${url} ${body ?? ''}`.slice(0, 1_000)
    expect([request, answer.status, answer.status === 500 && answer.text]).toEqual([request, answer.status, false])
    if (answer.status >= 400)
      expect([request, errorCatalog[answer.body.code as 'not_found']?.status]).toEqual([request, answer.status])
    else expect([request, answer.headers.get('cache-control')]).toEqual([request, 'private, no-store'])
  }
})

test('half of a character pair, which no column can store, is refused', async () => {
  const { act } = await owner()
  const fields = { kind: 'pack', name: '\ud800', description: 'To try', currency: 'usd', price_cents: 100, credits: 10 }
  for (const [path, body] of [
    ['/products', { fields }],
    ['/delivery/events/retry', { ids: ['\udfff'] }],
    [`/customers/${ids[0]}/notes`, { note: 'a \ud83d note' }],
  ] as const) {
    const { status, body: said } = await act(path, body)
    expect([path, status, said.error]).toEqual([
      path,
      400,
      'The request contains half of a character. Type the text again.',
    ])
  }
  // A whole pair is a character, and a backslash is one, too.
  expect((await act(`/customers/${ids[0]}/notes`, { note: '\u{1f4a5} \\ud800' })).status).toBe(200)
})

test.each(['turned \u202e around', 'an \u001b[31m escape', 'two\nlines'])(
  'what customers read is one line without hidden characters: %j',
  async (text) => {
    const { act } = await owner()
    const pack = { kind: 'pack', name: 'Pack', description: 'To try', currency: 'usd', price_cents: 100, credits: 10 }
    for (const field of ['name', 'description']) {
      const { status, body } = await act('/products', { fields: { ...pack, [field]: text } })
      expect([status, body.error]).toEqual([400, `fields.${field}: must be one line without hidden characters`])
    }
    const until = new Date(Date.now() + 3_600_000).toISOString()
    const banner = await act('/switches/banner', { banner: { text, until } })
    expect([banner.status, banner.body.error]).toEqual([400, 'text: enter one line without hidden characters.'])
  },
)

test('the log of a retry names only what can be an id there', async () => {
  const { act, call } = await owner()
  const id = randomUUID()
  await act('/delivery/mails/retry', { ids: [id, id, '<b>x</b>', 'evt_1', '1'] })
  expect((await call('GET', '/log')).body.data.entries[0]).toMatchObject({
    action: 'delivery.retried',
    target: 'mails',
    after: { retried: 0, ids: [id] },
  })
})

test('no answer of the console is kept, compared by another operator, or open to another site', async () => {
  const { call, cookie } = await owner()
  for (const path of [
    '/session',
    '/customers',
    `/customers/${randomUUID()}`,
    '/customers?before=x',
    '/finance/taxes',
  ]) {
    const { headers } = await call('GET', path)
    expect([path, headers.get('cache-control'), headers.get('etag')]).toEqual([path, 'private, no-store', null])
  }
  for (const method of ['HEAD', 'OPTIONS', 'PUT'])
    for (const path of ['/operator', '/operator/session', '/operator/api/session', '/operator/api/customers-csv']) {
      const answer = await fetch(server.url + path, {
        method,
        headers: { cookie, origin: 'https://evil.example', 'access-control-request-method': 'POST' },
      })
      const opened = [...answer.headers.keys()].filter((name) => name.startsWith('access-control'))
      expect([method, path, answer.status, opened]).toEqual([method, path, 404, []])
    }
})
