import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { MeteredCall } from '../metering/meter.ts'
import { setSwitch } from '../switches/switches.ts'
import { testTools } from '../tools/testing/test-tools.ts'
import { startToolServer, type ToolServer } from '../tools/testing/tool-server.ts'
import { beginSettling } from './record-settled.ts'
import { canPay, decoded, encoded, type PaidWorld, type Payer, startPaidWorld } from './testing/paid-world.ts'

describe.skipIf(!canPay)('limits of payments', () => {
  let world: PaidWorld
  let server: ToolServer
  let denied: Payer
  beforeAll(async () => {
    world = await startPaidWorld()
    denied = await world.payer()
    server = await startToolServer(testTools, {
      ...world.env,
      AGENT_CREDIT_MICRO_USD: '300000',
      TRUST_PROXY: '127.0.0.1/32,::1/128',
      AGENT_PAYER_DAILY_USD: '2',
      AGENT_DAILY_USD: '4',
      AGENT_DENIED_PAYERS: denied.address,
      AGENT_COUNTRY_HEADER: 'CF-IPCountry',
      AGENT_DENIED_COUNTRIES: 'KP, XX',
    })
  })
  afterAll(async () => {
    await server?.close()
    await world?.stop()
  })
  afterEach(async () => {
    await server.db.pool.query('delete from agent_payments')
  })

  const path = '/v1/test/rows/A'
  const pay = async (payer: Payer, headers: Record<string, string> = {}) => {
    const terms = decoded((await fetch(`${server.url}${path}`)).headers.get('payment-required'))
    const payment = encoded(await payer.sign(terms))
    const answer = await fetch(`${server.url}${path}`, { headers: { ...headers, 'payment-signature': payment } })
    return { status: answer.status, body: await answer.json(), retryAfter: answer.headers.get('retry-after') }
  }

  test('a payer, and all together, pay no more in a day than the operator wants', async () => {
    const payer = await world.payer(10_000_000n)
    expect([(await pay(payer)).status, (await pay(payer)).status]).toEqual([200, 200])
    const own = await pay(payer)
    expect([own.status, own.retryAfter, own.body.detail]).toEqual([
      429,
      '3600',
      'One payer may pay at most $2 in 24 hours here.',
    ])
    const other = await world.payer(10_000_000n)
    expect([(await pay(other)).status, (await pay(other)).status]).toEqual([200, 200])
    const total = await pay(await world.payer(10_000_000n))
    expect([total.status, total.body.code]).toEqual([429, 'rate_limited'])
  })

  test('a payer has at most four payments open', async () => {
    const payer = await world.payer(10_000_000n)
    await server.db.pool.query(
      `insert into agent_payments (supplier, network, asset, payer, nonce, credential_hash, request_hash, pay_to, credits, micro_usd,
         atomic, account_id, state, valid_before, claimed_until)
       select 'x402', 'n', 'a', $1, n::text, 'h', 'r', 'p', 1, 1, '1', $2, 'claimed', app_now(), app_now() + interval '1 minute'
       from generate_series(1, 4) n`,
      [payer.address, (await server.key()).accountId],
    )
    const answer = await pay(payer)
    expect([answer.status, answer.body.detail]).toEqual([
      429,
      'At most 4 payments of one payer may be under way at once. Wait until one ends.',
    ])
  })

  test('nothing is taken from denied payers and countries', async () => {
    const from = await pay(denied)
    expect([from.status, from.body.detail]).toEqual([
      403,
      'This server takes no payments from this payer. Nothing was charged.',
    ])
    const payer = await world.payer()
    const there = await pay(payer, { 'cf-ipcountry': 'xx' })
    expect([there.status, there.body.detail]).toEqual([
      403,
      'This server takes no payments from this country. Nothing was charged.',
    ])
    expect((await pay(payer, { 'cf-ipcountry': 'CH' })).status).toBe(200)
  })

  test('while sales are stopped nothing is taken, from the next request on', async () => {
    const payer = await world.payer()
    const by = { setBy: 'test', reason: 'test' }
    const before = await world.received()
    await server.db.kysely.transaction().execute((tx) => setSwitch(tx, 'sales', {}, by))
    const answer = await pay(payer)
    expect([answer.status, answer.body.code]).toEqual([503, 'billing_unavailable'])
    await server.db.kysely.transaction().execute((tx) => setSwitch(tx, 'sales', null, by))
    expect(await world.received()).toBe(before)
    expect((await pay(payer)).status).toBe(200)
  })

  test('a suspended payer is refused', async () => {
    const payer = await world.payer(10_000_000n)
    expect((await pay(payer)).status).toBe(200)
    await server.db.pool.query(
      'update accounts set suspended_at = app_now() where id in (select account_id from agent_accounts where payer = $1)',
      [payer.address],
    )
    const answer = await pay(payer)
    expect([answer.status, answer.body.code]).toEqual([403, 'account_suspended'])
  })

  test.each([
    [
      'billing_unavailable',
      `insert into switches (name, setting, set_by, reason) values ('sales', '{}', 'test', 'test')`,
    ],
    ['account_suspended', `update accounts set suspended_at = app_now() where id = $1`],
    ['payment_in_progress', `update agent_payments set claimed_until = app_now() where account_id = $1`],
  ])('what comes between the claim and the settlement ends it: %s', async (code, between) => {
    const { accountId } = await server.key()
    const { rows } = await server.db.pool.query(
      `insert into agent_payments (supplier, network, asset, payer, nonce, credential_hash, request_hash, pay_to, credits, micro_usd,
         atomic, account_id, state, valid_before, claimed_until)
       values ('x402', 'n', 'a', $2, 'n', 'h', 'r', 'p', 1, 1, '1', $1, 'claimed', app_now(), app_now() + interval '1 minute')
       returning id, attempt`,
      [accountId, code],
    )
    const call = { accountId, credits: 1 } as MeteredCall
    await server.db.pool.query(between, between.includes('$1') ? [accountId] : [])
    await expect(beginSettling(server.db, rows[0], call)).rejects.toMatchObject({ code })
    const { rows: after } = await server.db.pool.query('select state from agent_payments where payer = $1', [code])
    expect(after).toEqual([{ state: 'claimed' }])
    await server.db.pool.query(`delete from switches`)
  })

  test('payments that somebody else makes up in the name of a payer do not lock the payer out', async () => {
    const payer = await world.payer()
    const terms = decoded((await fetch(`${server.url}${path}`)).headers.get('payment-required'))
    const forged = await payer.sign(terms)
    forged.payload.signature = `0x${'11'.repeat(64)}1b`
    const from = (address: string, payment: unknown) =>
      fetch(`${server.url}${path}`, {
        headers: { 'x-forwarded-for': address, 'payment-signature': encoded(payment) },
      })
    for (let n = 0; n < 130; n++) expect((await from(`203.0.113.${n % 5}`, forged)).status).toBe(402)
    expect((await from('203.0.113.9', await payer.sign(terms))).status).toBe(200)
  })

  test('without a connection to the database nothing is claimed, and the same payment is good for the next try', async () => {
    const payer = await world.payer()
    const terms = decoded((await fetch(`${server.url}${path}`)).headers.get('payment-required'))
    const headers = { 'payment-signature': encoded(await payer.sign(terms)) }
    const { pool } = server.db
    const taken = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()))
    const answer = await fetch(`${server.url}${path}`, { headers })
    for (const client of taken) client.release()
    expect([answer.status, (await answer.json()).code]).toEqual([503, 'metering_unavailable'])
    expect([answer.headers.get('retry-after'), answer.headers.get('payment-required')]).toEqual(['2', null])
    expect((await fetch(`${server.url}${path}`, { headers })).status).toBe(200)
  })

  test('junk from one address is refused after 600 requests a minute, and keyed calls go on', async () => {
    const key = await server.key({ credits: 1_000 })
    const keyed = async () => (await fetch(`${server.url}${path}`, { headers: { 'x-api-key': key.value } })).status
    const statuses = new Set<number>()
    // The minute began with an earlier test, and may end meanwhile: then the next one has room for 600, too.
    for (let round = 0; round < 52 && !statuses.has(429); round++) {
      const junk = Array.from({ length: 25 }, () =>
        fetch(`${server.url}${path}`, { headers: { 'payment-signature': encoded({ x402Version: 2, junk: round }) } }),
      )
      expect(await keyed()).toBe(200)
      for (const { status } of await Promise.all(junk)) statuses.add(status)
    }
    expect([...statuses].sort()).toEqual([400, 429])
    expect(await keyed()).toBe(200)
    const listed = await fetch(`${server.url}/mcp?payment=x402`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    })
    expect(listed.status).toBe(429)
  })

  test('junk from many addresses costs neither database nor signatures, and calls with a key are all answered', async () => {
    const key = await server.key({ credits: 1_000 })
    const from = (n: number) => ({ 'x-forwarded-for': `198.51.100.${n}` })
    const terms = decoded((await fetch(`${server.url}${path}`, { headers: from(99) })).headers.get('payment-required'))
    const signed = await (await world.payer()).sign(terms)
    const { authorization } = signed.payload
    const junk = [
      { x402Version: 2 },
      { ...signed, payload: { authorization } },
      { ...signed, payload: { authorization, signature: '0x' } },
      { ...signed, accepted: { ...signed.accepted, amount: '1' } },
      { ...signed, payload: { ...signed.payload, authorization: { ...authorization, value: '1' } } },
    ].map(encoded)
    const { verify } = world.facilitator.calls
    let connections = 0
    const count = () => {
      connections++
    }
    server.db.pool.on('acquire', count)
    const statuses = new Set<number>()
    for (let round = 0; round < 20; round++) {
      const asked = Array.from({ length: 50 }, (_, n) =>
        fetch(`${server.url}${path}`, {
          headers: { ...from(n), 'payment-signature': junk[n % junk.length]! },
        }),
      )
      for (const { status } of await Promise.all(asked)) statuses.add(status)
    }
    server.db.pool.off('acquire', count)
    expect([...statuses].sort()).toEqual([400, 402])
    // Jobs of the server may have asked a few times; 1,000 requests have not.
    expect(connections).toBeLessThan(100)
    expect(world.facilitator.calls.verify).toBe(verify)
    expect((await server.db.pool.query('select from agent_payments')).rows).toEqual([])
    const keyed = await Promise.all(
      Array.from({ length: 20 }, () => fetch(`${server.url}${path}`, { headers: { 'x-api-key': key.value } })),
    )
    expect(keyed.map(({ status }) => status)).toEqual(Array(20).fill(200))
  })
})
