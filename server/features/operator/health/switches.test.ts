import { expect, test } from 'vitest'
import { startTestServer } from '#server/testing/harness.ts'
import { call, startSession } from '#server/testing/session.ts'
import { closeAfterTests } from '../../../testing/close-after-tests.ts'
import { accountOf, buyCredits, plansByName } from '../../billing/testing/billing.ts'
import { runAutoTopups } from '../../billing/topups/auto-topup.ts'
import { addVersion } from '../../upstreams/add-version.ts'
import { prepareVersion } from '../../upstreams/prepare-version.ts'
import { parseManifest } from '../../upstreams/read-manifest.ts'
import { acmeDocument } from '../../upstreams/testing/acme-document.ts'
import { startLoopback } from '../../upstreams/testing/loopback.ts'
import { openConsole } from '../testing/console.ts'

const server = await closeAfterTests(startTestServer())
const second = await closeAfterTests(startTestServer({ databaseUrl: server.databaseUrl }))
const owner = await openConsole(server, 'owner')
const rows = async (sql: string, given: unknown[] = []) => (await server.db.pool.query(sql, given)).rows
const nothing =
  'Nothing can be bought here for now, and nothing was charged. Your plan and your credits stay as they are. Try again later.'

test('stopped sales refuse checkout, top-ups and automatic top-ups on every server; subscribers and credits go on', async () => {
  const person = await startSession(server)
  await buyCredits(server, person, 1, { saveCard: true })
  const accountId = await accountOf(server, person)
  await rows(`insert into auto_topups (account_id, enabled, threshold, packs) values ($1, true, 20000, 1)`, [accountId])
  expect((await owner.act('/switches/sales', { stopped: true, reason: 'Prices are wrong today' })).status).toBe(200)
  const { Pro } = await plansByName(person)
  const { userId, email } = person
  const there = await startSession(second, { userId, email })
  const elsewhere = (path: string, body: object) => there.call('POST', path, { body })
  for (const [path, body] of [
    ['/api/billing/checkout', { priceId: Pro!.priceId }],
    ['/api/billing/credits/topup', { packs: 1 }],
  ] as const) {
    const refused = await elsewhere(path, body)
    expect([path, refused.status, refused.body.code, refused.body.error]).toEqual([
      path,
      503,
      'billing_unavailable',
      nothing,
    ])
  }
  expect(await runAutoTopups(second.deps)).toBe(0)
  expect(await rows(`select from topups where status <> 'paid'`)).toEqual([])
  expect((await person.call('GET', '/api/billing/credits')).body.data.credits.remaining).toBe(10_000)
  const { sales } = (await owner.call('GET', '/switches')).body.data
  expect(sales).toMatchObject({ set_by: owner.email, reason: 'Prices are wrong today' })
  expect((await owner.act('/switches/sales', { stopped: false })).status).toBe(200)
  expect((await elsewhere('/api/billing/checkout', { priceId: Pro!.priceId })).status).toBe(200)
  expect(await runAutoTopups(server.deps)).toBe(1)
  expect(await rows(`select action, before, after from operator_log where target = 'sales' order by id`)).toEqual([
    { action: 'sales.stopped', before: { on: false }, after: { on: true } },
    { action: 'sales.resumed', before: { on: true }, after: { on: false } },
  ])
})

test('stopped sales leave the portal without other plans, and an automatic top-up that is under way unpaid', async () => {
  const person = await startSession(server)
  await buyCredits(server, person, 1, { saveCard: true })
  const accountId = await accountOf(server, person)
  const { client } = server.deps.stripe!
  const portal = async () => {
    expect((await person.call('POST', '/api/billing/portal')).status).toBe(200)
    const [{ id }] = await rows('select id from portal_configurations')
    const { features } = await client.billingPortal.configurations.retrieve(id)
    return [features.subscription_update.enabled, features.subscription_cancel.enabled]
  }
  expect(await portal()).toEqual([true, true])
  expect((await owner.act('/switches/sales', { stopped: true })).status).toBe(200)
  expect(await portal()).toEqual([false, true])
  // A server has noted it, and ended before it asked for the money.
  await rows(
    `insert into topups (account_id, origin, cents, credits, created_at)
      values ($1, 'auto', 200, 10000, app_now() - interval '3 minutes')`,
    [accountId],
  )
  const states = async () =>
    (await rows(`select status from topups where account_id = $1 and origin = 'auto'`, [accountId])) as unknown
  await runAutoTopups(second.deps)
  expect(await states()).toEqual([{ status: 'open' }])
  expect((await owner.act('/switches/sales', { stopped: false })).status).toBe(200)
  await runAutoTopups(second.deps)
  expect(await states()).toEqual([{ status: 'paid' }])
  expect(await portal()).toEqual([true, true])
})

test('a banner is part of every page and of the settings on every server until its time is over or it is removed', async () => {
  const shown = async () => {
    const answer = await fetch(`${second.url}/config.json`)
    return ((await answer.json()) as { banner: unknown }).banner
  }
  expect(await shown()).toBeNull()
  const banner = { text: 'Prices of <b>today</b> are late.', until: new Date(Date.now() + 3_600_000).toISOString() }
  expect((await owner.act('/switches/banner', { banner })).body.data).toEqual({ shown: true })
  await expect.poll(shown).toEqual(banner)
  await rows(
    `update switches set setting = setting || '{"until":"2026-01-01T00:00:00.000Z"}'; select pg_notify('switches_changed', '')`,
  )
  await expect.poll(shown).toBeNull()
  expect((await owner.call('GET', '/switches')).body.data.banner).toMatchObject({ text: banner.text, over: true })
  await owner.act('/switches/banner', { banner })
  await expect.poll(shown).toEqual(banner)
  expect((await owner.act('/switches/banner', { banner: null })).body.data).toEqual({ shown: false })
  await expect.poll(shown).toBeNull()
  for (const [wrong, text] of [
    [{ ...banner, text: 'a'.repeat(201) }, 'Write at most 200 characters.'],
    [{ ...banner, text: ' ' }, 'Enter a text.'],
    [{ ...banner, text: 'a\nb' }, 'enter one line'],
    [{ ...banner, until: 'tomorrow' }, 'Write a time in UTC'],
    [{ ...banner, until: '2026-01-01T00:00:00Z' }, 'choose a time within the next 30 days'],
    [{ ...banner, until: '2099-01-01T00:00:00Z' }, 'choose a time within the next 30 days'],
  ] as const) {
    const refused = await owner.act('/switches/banner', { banner: wrong })
    expect([refused.status, refused.body.error]).toEqual([400, expect.stringContaining(text)])
  }
})

test('calls to a stopped upstream are refused on every server, uncharged and without a row, and go on afterward', async () => {
  const upstream = await closeAfterTests(
    startLoopback((_request, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"price":1.5}'),
    ),
  )
  const manifest = parseManifest({
    id: 'acme',
    kind: 'openapi',
    document: 'acme.json',
    base: upstream.url,
    private_hosts: ['127.0.0.1'],
    defaults: { publish: 'named' },
    operations: { getPrice: { credits: 2 } },
  })
  const prepared = await prepareVersion(manifest, acmeDocument, {}, server.deps.tools)
  await addVersion(server.db.kysely, prepared, false)
  const person = await startSession(server)
  await person.call('POST', '/api/billing/subscribe-free-plan', { body: {} })
  const key = (await person.call('POST', '/api/keys', { body: { name: 'Mine' } })).body.data.apiKey.unkey
  const get = (of = second) => call(of, 'GET', '/v1/acme/prices/ACME', { headers: { 'x-api-key': key } })
  const status = async () => (await get()).status
  await expect.poll(status).toBe(200)
  const balance = async () => (await person.call('GET', '/api/billing/credits')).body.data.credits.remaining
  expect((await owner.act('/upstreams/acme/pause')).status).toBe(200)
  await expect.poll(status).toBe(404)
  await expect.poll(async () => (await get(server)).status).toBe(404)
  const [asked, left, calls] = [upstream.seen.length, await balance(), await rows('select count(*) from usage_events')]
  await get()
  expect([upstream.seen.length, await balance(), await rows('select count(*) from usage_events')]).toEqual([
    asked,
    left,
    calls,
  ])
  expect((await call(second, 'GET', '/v1/symbols?q=apple', { headers: { 'x-api-key': key } })).status).toBe(200)
  // One state, wherever it is shown.
  const shown = async () => [
    (await owner.call('GET', '/switches')).body.data.upstreams,
    (await owner.call('GET', '/upstreams/acme')).body.data.upstream.state,
  ]
  expect(await shown()).toEqual([[{ id: 'acme', paused: true }], 'paused'])
  await owner.act('/upstreams/acme/resume')
  await expect.poll(status).toBe(200)
  expect(await shown()).toEqual([[{ id: 'acme', paused: false }], 'published'])
})
