import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestServer } from '#server/testing/harness.ts'
import { closeAfterTests } from '../../../testing/close-after-tests.ts'
import { acmeDocument } from '../../upstreams/testing/acme-document.ts'
import { type Loopback, startLoopback } from '../../upstreams/testing/loopback.ts'
import { makeLoadTestAccount } from '../make-load-test-account.ts'
import { openConsole, type TestOperator } from '../testing/console.ts'

const server = await closeAfterTests(startTestServer({ env: { SANDBOX: 'on' } }))
let upstream: Loopback
let owner: TestOperator
/** What the API answers to any call. */
let answer: Parameters<typeof startLoopback>[0]
const priced: Parameters<typeof startLoopback>[0] = (_request, response) =>
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"price":1.5}')

beforeAll(async () => {
  upstream = await startLoopback((request, response) =>
    request.url === '/openapi.json' ? response.end(acmeDocument) : answer(request, response),
  )
  owner = await openConsole(server, 'owner')
})
afterAll(() => upstream?.close())

const text = { from: 'text', text: acmeDocument }
const manifestOf = (id: string, more: object = {}) => ({
  id,
  kind: 'openapi',
  document: 'pasted.yaml',
  base: upstream.url,
  private_hosts: ['127.0.0.1'],
  defaults: { credits: 1 },
  ...more,
})
const check = async (manifest: object, source: object = text) =>
  (await owner.call('POST', '/upstreams/check', { source, manifest })).body
/** Checks and stores; served at once unless `draft`. */
async function add(id: string, more: object = {}, body: object = {}) {
  const manifest = manifestOf(id, more)
  const { digest, newest } = (await check(manifest)).data
  return owner.act('/upstreams', { source: text, manifest, digest, newest, ...body })
}
const logOf = async (target: string) =>
  (
    await server.db.pool.query('select action, reason, before, after from operator_log where target = $1 order by id', [
      target,
    ])
  ).rows
/** With credits for many calls: tests call until a version is served. */
const customer = () => makeLoadTestAccount(server.db.kysely, server.deps.secrets, 1_000_000)
const callAs = (key: string, path: string) =>
  fetch(`${server.url}/v1/${path}`, { headers: { authorization: `Bearer ${key}` } })

describe('a check', () => {
  test('of a pasted description says what would be published, and stores nothing', async () => {
    const { data } = await check({ defaults: { credits: 3 } })
    expect(data).toMatchObject({
      title: 'Acme prices',
      newest: null,
      manifest: { id: 'acme-prices', kind: 'openapi', document: 'pasted.yaml', defaults: { credits: 3 } },
      // The description names no server.
      problems: ['base: expected an http or https address'],
    })
    const again = (await check({ ...data.manifest, base: 'https://api.acme.example' })).data
    expect(again.problems).toEqual([])
    expect(again.operations).toMatchObject([
      {
        id: 'getPrice',
        method: 'GET',
        path: '/prices/{symbol}',
        title: 'Last price of a symbol',
        inputs: ['symbol', 'days'],
        reason: null,
        tool: 'acme_prices_get_price',
        price: '3 credits per call',
        over_mcp: true,
      },
      { id: 'search', reason: null, tool: 'acme_prices_search' },
      {
        id: 'placeOrder',
        method: 'POST',
        reason: 'the method is POST: name it to publish it',
        impossible: false,
        tool: null,
      },
    ])
    const { rows } = await server.db.pool.query(`select from upstreams where id = 'acme-prices'`)
    expect(rows).toEqual([])
  })

  test('says each problem with its key, and still lists the operations', async () => {
    const { data } = await check(manifestOf('acme', { base: 'ftp://acme', operations: { getPrice: { credits: -1 } } }))
    expect(data.problems).toEqual([
      'operations.getPrice.credits: must be at least 0',
      'base: expected an http or https address',
    ])
    expect(data.operations.map(({ id }: { id: string }) => id)).toEqual(['getPrice', 'search', 'placeOrder'])
    const inside = (await check(manifestOf('acme', { private_hosts: [], base: 'https://127.0.0.1' }))).data
    expect(inside.problems).toEqual([
      'base: 127.0.0.1 is in a private network. Add it to private_hosts if Finmeter may ask it.',
    ])
    const unknown = (await check(manifestOf('acme', { operations: { getPrices: {} } }))).data
    expect(unknown.problems).toEqual(['The description has no operation getPrices. Is it getPrice?'])
  })

  test('takes no word of a description for an address inside the network: the operator has to say so', async () => {
    const leading = {
      from: 'text',
      text: JSON.stringify({ ...JSON.parse(acmeDocument), servers: [{ url: 'http://169.254.169.254/latest' }] }),
    }
    const first = (await check({}, leading)).data
    expect([first.manifest.base, first.manifest.private_hosts]).toEqual(['http://169.254.169.254/latest', []])
    // The form sends back what it was filled with.
    const second = (await check(first.manifest, leading)).data
    expect([second.manifest.private_hosts, second.problems]).toEqual([
      [],
      [
        'base: without TLS only hosts in private_hosts are asked; add 169.254.169.254 there if it is in your own network',
      ],
    ])
    const typed = (await check({ base: 'http://10.0.0.8' }, leading)).data
    expect(typed.manifest.private_hosts).toEqual(['10.0.0.8'])
  })

  test.each([
    ['not a description', 'The description is not an OpenAPI 3.0 or 3.1 or Swagger 2 description.'],
    ['{"openapi":', 'The description is neither JSON nor YAML: Unexpected end of JSON input'],
    [
      '{"openapi":"3.0.0","paths":{"/a":{"$ref":"http://elsewhere/x"}}}',
      'The description refers to another file or address (http://elsewhere/x). Bring it into one file first, for example with: npx @redocly/cli bundle',
    ],
  ])('refuses %s in words', async (given, error) => {
    const { status, body } = await owner.call('POST', '/upstreams/check', {
      source: { from: 'text', text: given },
      manifest: {},
    })
    expect([status, body.code, body.error]).toEqual([400, 'invalid_parameter', error])
  })

  test('fetches an address, inside the network only if the operator names the host', async () => {
    const source = { from: 'address', address: `${upstream.url}/openapi.json` }
    upstream.seen.length = 0
    const refused = await owner.call('POST', '/upstreams/check', { source, manifest: {} })
    expect([refused.status, refused.body.error]).toEqual([
      400,
      `${upstream.url}/openapi.json cannot be read: Only https addresses are fetched. To read it from inside your network, paste it instead.`,
    ])
    expect(upstream.seen).toEqual([])
    const { data } = await check({ private_hosts: ['127.0.0.1'] }, source)
    expect([data.title, data.manifest.document]).toEqual(['Acme prices', `${upstream.url}/openapi.json`])
  })
})

describe('publishing', () => {
  test('sells the operations to customers, with a receipt, and says which server serves them', async () => {
    answer = priced
    const added = await add('sold', { operations: { getPrice: { credits: 2 }, search: { publish: false } } })
    expect([added.status, added.body.data.version]).toEqual([200, 1])
    const { key } = await customer()
    await expect.poll(async () => (await callAs(key, 'sold/prices/ACME')).headers.get('x-credits-charged')).toBe('2')
    expect((await callAs(key, 'sold/search?q=x')).status).toBe(404)
    await expect
      .poll(async () =>
        (await owner.call('GET', '/upstreams')).body.data.upstreams.find(({ id }: { id: string }) => id === 'sold'),
      )
      .toMatchObject({
        name: 'Acme prices',
        kind: 'openapi',
        state: 'published',
        published: 1,
        newest: 1,
        operations: 1,
        servers: [{ version: 1, problem: null, breaker: 'closed' }],
      })
    expect(await logOf('sold')).toMatchObject([
      {
        action: 'upstream.published',
        reason: 'Asked for by the customer',
        before: { version: null },
        after: { version: 1, operations: 1 },
      },
    ])
    const { data } = (await owner.call('GET', '/upstreams/sold')).body
    expect(data.versions).toMatchObject([{ version: 1, operations: 1 }])
    expect(data.shown).toMatchObject({
      version: 1,
      credential: null,
      operations: [
        { id: 'getPrice', tool: 'sold_get_price', path: '/v1/sold/prices/{symbol}', price: '2 credits per call' },
      ],
    })
  })

  test('a draft is stored and not served; a repeated request is one version', async () => {
    const id = randomUUID()
    const manifest = manifestOf('drafted')
    const { digest, newest } = (await check(manifest)).data
    const body = { source: text, manifest, digest, newest, draft: true }
    const first = await owner.act('/upstreams', body, id)
    const again = await owner.act('/upstreams', body, id)
    expect([first.status, again.status, again.body.data.version]).toEqual([200, 200, 1])
    expect(again.body.data.upstream).toMatchObject({ state: 'draft', published: null, newest: 1, servers: [] })
    expect((await logOf('drafted')).map(({ action }) => action)).toEqual(['upstream.stored'])
  })

  test('refuses another description than the one that was checked', async () => {
    const manifest = manifestOf('other')
    const { digest } = (await check(manifest)).data
    const changed = { from: 'text', text: acmeDocument.replace('Last price', 'Price') }
    const { status, body } = await owner.act('/upstreams', { source: changed, manifest, digest, newest: null })
    expect([status, body.error]).toEqual([409, 'The description has changed since you checked it. Check it again.'])
    expect((await owner.call('GET', '/upstreams/other')).status).toBe(404)
  })

  test('two operators edit one upstream: the second hears of the first, and nothing is lost', async () => {
    await add('edited')
    const manifest = manifestOf('edited', { defaults: { credits: 7 } })
    const { digest, newest } = (await check(manifest)).data
    expect(newest).toBe(1)
    const body = { source: text, manifest, digest, newest }
    const other = await openConsole(server, 'owner')
    const both = await Promise.all([owner.act('/upstreams', body), other.act('/upstreams', body)])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
    expect(both.find(({ status }) => status === 409)!.body.error).toBe(
      'Another operator saved version 2 of edited after you opened this page. Compare it, then check your version again.',
    )
    const { rows } = await server.db.pool.query(
      `select count(*)::int as n from upstream_versions where upstream_id = 'edited'`,
    )
    expect(rows).toEqual([{ n: 2 }])
  })

  test('an earlier version is served again, a pause takes all away, and removing ends it', async () => {
    answer = priced
    const { key } = await customer()
    const charged = async () => (await callAs(key, 'moved/prices/A')).headers.get('x-credits-charged')
    await add('moved')
    await add('moved', { defaults: { credits: 5 } })
    await expect.poll(charged).toBe('5')
    const undo = () => owner.act('/upstreams/moved/undo', { version: 2 })
    expect((await undo()).body.data.upstream).toMatchObject({ published: 1, newest: 2 })
    // Another operator's page still shows version 2.
    const late = await undo()
    expect([late.status, late.body.error]).toEqual([
      409,
      'Version 1 was published after you opened this page. Reload the page.',
    ])
    await expect.poll(charged).toBe('1')
    await owner.act('/upstreams/moved/publish', { version: 2 })
    await expect.poll(charged).toBe('5')
    expect((await owner.act('/upstreams/moved/pause')).body.data.upstream.state).toBe('paused')
    await expect.poll(charged).toBe(null)
    await owner.act('/upstreams/moved/resume')
    await expect.poll(charged).toBe('5')
    const none = await owner.act('/upstreams/moved/publish', { version: 9 })
    expect([none.status, none.body.error]).toEqual([409, 'moved has no version 9; it has 2, 1.'])
    expect((await owner.act('/upstreams/moved/remove')).body.data).toEqual({ removed: true })
    await expect.poll(charged).toBe(null)
    expect((await logOf('moved')).map(({ action, before, after }) => [action, before, after])).toEqual([
      ['upstream.published', { version: null }, { version: 1, operations: 2 }],
      ['upstream.published', { version: 1 }, { version: 2, operations: 2 }],
      ['upstream.undone', { version: 2, state: 'published' }, { version: 1, state: 'published' }],
      ['upstream.published', { version: 1, state: 'published' }, { version: 2, state: 'published' }],
      ['upstream.paused', { version: 2, state: 'published' }, { version: 2, state: 'paused' }],
      ['upstream.resumed', { version: 2, state: 'paused' }, { version: 2, state: 'published' }],
      ['upstream.removed', { version: 2, versions: 2 }, null],
    ])
    for (const verb of ['pause', 'resume', 'remove'])
      expect([verb, (await owner.act(`/upstreams/moved/${verb}`)).status]).toEqual([verb, 404])
  })
})

describe('a trial', () => {
  test('asks the upstream as the operator: nobody is charged, and there is no usage', async () => {
    answer = priced
    await add('tried', {}, { draft: true })
    upstream.seen.length = 0
    const tried = await owner.call('POST', '/upstreams/tried/try', {
      version: 1,
      operation: 'getPrice',
      input: { symbol: 'ACME', days: 5 },
    })
    expect(tried.body.data).toMatchObject({ status: 200, problem: null, body: '{"price":1.5}', bytes: 13, credits: 1 })
    expect(upstream.seen).toMatchObject([
      { method: 'GET', url: '/prices/ACME?days=5', headers: { 'finmeter-account': 'operator' } },
    ])
    const { rows } = await server.db.pool.query(
      `select from usage_events u join tools t on t.id = u.tool_id where t.name = 'tried_get_price'`,
    )
    expect(rows).toEqual([])
    expect(await logOf('tried')).toMatchObject([
      { action: 'upstream.stored' },
      { action: 'upstream.tried', after: { version: 1, operation: 'getPrice' } },
    ])
  })

  test('says why there is no usable response, which customers never hear', async () => {
    await add('failing', {}, { draft: true })
    const attempt = async (input: object) =>
      owner.call('POST', '/upstreams/failing/try', { version: 1, operation: 'getPrice', input })
    answer = (_request, response) => response.writeHead(503).end('down')
    expect((await attempt({ symbol: 'A' })).body.data).toMatchObject({ status: null, credits: 0 })
    expect((await attempt({ symbol: 'A' })).body.data.problem).toContain('503')
    const wrong = await attempt({ symbol: 'A', days: 'many' })
    expect([wrong.status, wrong.body.error]).toEqual([400, 'days must be integer.'])
    const missing = await owner.call('POST', '/upstreams/failing/try', {
      version: 1,
      operation: 'placeOrder',
      input: {},
    })
    expect([missing.status, missing.body.error]).toEqual([404, 'Version 1 does not publish placeOrder.'])
  })
})

describe('credentials', () => {
  const VALUE = 'sk-live-9f8e7d6c5b4a'

  test('are stored encrypted, sent to the upstream, and in no answer, log or table', async () => {
    answer = priced
    const auth = { header: 'X-Key', secret: 'stored:ACME_LIVE' }
    const before = (await check(manifestOf('locked', { auth }))).data
    expect(before.problems).toEqual([
      'The secret store has no ACME_LIVE. Set it with: npm run upstream -- secret set ACME_LIVE',
    ])
    const stored = await owner.act('/upstream-secrets', { name: 'ACME_LIVE', value: VALUE })
    expect(stored.body.data).toEqual({ stored: true })
    await add('locked', { auth })
    const { key } = await customer()
    await expect.poll(async () => (await callAs(key, 'locked/prices/A')).status).toBe(200)
    expect(upstream.seen.at(-1)!.headers['x-key']).toBe(VALUE)
    const shown = (await owner.call('GET', '/upstreams/locked')).body.data.shown
    expect(shown.credential).toEqual({ name: 'ACME_LIVE', stored: true, missing: false })
    const list = await owner.call('GET', '/upstream-secrets')
    expect(list.body.data.secrets).toMatchObject([{ name: 'ACME_LIVE', used_by: ['locked'] }])
    const { rows } = await server.db.pool.query(
      `select (select json_agg(l) from operator_log l)::text || (select json_agg(a) from audit_log a)::text
        || (select json_agg(v.manifest) from upstream_versions v)::text as said`,
    )
    for (const said of [rows[0].said, JSON.stringify(shown), list.text]) expect(said).not.toContain(VALUE)
    const used = await owner.act('/upstream-secrets/remove', { name: 'ACME_LIVE' })
    expect([used.status, used.body.error]).toEqual([
      409,
      'ACME_LIVE is used by locked version 1. Publish a version without it first, or remove the upstream.',
    ])
    await owner.act('/upstreams/locked/remove')
    expect((await owner.act('/upstream-secrets/remove', { name: 'ACME_LIVE' })).body.data).toEqual({ removed: true })
  })

  test('a refused value is not repeated', async () => {
    const { status, text: said, body } = await owner.act('/upstream-secrets', { name: 'ACME_BAD', value: `${VALUE}\n` })
    expect([status, body.error]).toEqual([400, 'The value has characters that no header can have.'])
    expect(said).not.toContain(VALUE)
  })
})
