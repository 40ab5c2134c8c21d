import { randomUUID } from 'node:crypto'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startSession } from '../../../testing/session.ts'
import { checkBillingInvariants } from '../../billing/billing-invariants.ts'
import { type MoodyServer, startMoodyServer } from '../testing/moody-server.ts'
import { canPay, decoded, encoded, type Payer, type Payment, transferArguments } from '../testing/paid-world.ts'

const PATH = '/v1/agent-balances'
const SECRET = 'a-random-text-of-the-agent'

describe.skipIf(!canPay)('balances that agents buy', () => {
  let paid: MoodyServer
  beforeAll(async () => {
    paid = await startMoodyServer()
  })
  afterAll(() => paid?.close())
  beforeEach(() => paid.reset())

  const ask = async (body: object, headers: Record<string, string> = {}, path = PATH) => {
    const answer = await fetch(paid.url(path), {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
    return { status: answer.status, headers: answer.headers, body: await answer.json() }
  }
  const signed = async (payer: Payer, body: object, headers: Record<string, string> = {}) =>
    payer.sign(decoded((await ask(body, headers)).headers.get('payment-required')))
  const pay = (payment: Payment, body: object, headers: Record<string, string> = {}) =>
    ask({ idempotency_key: SECRET, ...body }, { ...headers, 'payment-signature': encoded(payment) })
  const buy = async (payer: Payer, usd = 1, headers: Record<string, string> = {}) => {
    const wish = { usd, idempotency_key: randomUUID() }
    const { status, body } = await pay(await signed(payer, wish, headers), wish, headers)
    expect(status).toBe(201)
    return body.data
  }
  const rich = () => paid.world.payer(40_000_000n)
  const query = async (text: string, values: unknown[] = []) => (await paid.server.db.pool.query(text, values)).rows
  const callWith = (key: string) => fetch(paid.url('/v1/test/moody'), { headers: { 'x-api-key': key } })
  const proven = async () => [...(await paid.server.invariants()), ...(await checkBillingInvariants(paid.server.db))]
  const tokenOf = (link: string) => link.slice(link.indexOf('#') + 1)

  test('without a payment: the terms, and nothing is written; bad sums are refused before any terms', async () => {
    const { status, headers, body } = await ask({ usd: 5 })
    expect([status, body.code, body.detail]).toEqual([
      402,
      'payment_required',
      '5000 credits cost $5.00. Pay as the terms in this response say, and send an idempotency_key with the payment.',
    ])
    const terms = decoded(headers.get('payment-required'))
    expect([terms.resource.url, terms.accepts[0].amount]).toEqual([paid.url(PATH), '5000000'])
    for (const usd of [0, 21, 1.5, '5']) {
      const refused = await ask({ usd })
      expect([refused.status, refused.body.param, refused.headers.get('payment-required')]).toEqual([400, 'usd', null])
    }
    expect(await query('select from agent_balances union all select from agent_payments')).toEqual([])
  })

  test('the official client buys an account with a key for tools, limited to what was paid; the money has arrived', async () => {
    const payer = await rich()
    const before = await paid.world.received()
    const answer = await payer.fetch(paid.url(PATH), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ usd: 2, idempotency_key: SECRET }),
    })
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([201, 'private, no-store'])
    expect(decoded(answer.headers.get('payment-response'))).toMatchObject({ success: true, payer: payer.address })
    const { data } = await answer.json()
    expect(data).toEqual({
      payment: expect.stringMatching(/^[0-9a-f-]{36}$/),
      usd: '2.00',
      credits: 2000,
      key: expect.stringMatching(/^fm_/),
      claim_link: expect.stringMatching(new RegExp(`^${paid.server.url}/claim#[0-9a-f-]{36}\\.`)),
      claim_link_expires_at: expect.any(String),
    })
    expect((await paid.world.received()) - before).toBe(2_000_000n)
    const call = await callWith(data.key)
    expect([call.status, call.headers.get('x-credits-remaining')]).toEqual([200, '1997'])
    const [key] = await query(
      `select scopes, monthly_budget, (select count(*)::int from account_members m where m.account_id = k.account_id) as people
       from api_keys k join m00.meter_keys on key_id = k.id where name = 'agent'`,
    )
    expect(key).toEqual({ scopes: ['rest', 'mcp'], monthly_budget: 2000, people: 0 })
    expect(await proven()).toEqual([])
    expect(
      JSON.stringify(await query('select * from agent_payments union all select p.* from agent_payments p')),
    ).not.toContain(data.key)
  })

  test('the same payment again gives the same answer to who has its idempotency key, and to nobody else; one grant, one key', async () => {
    const payer = await rich()
    const payment = await signed(payer, { usd: 1 })
    const without = await ask({ usd: 1 }, { 'payment-signature': encoded(payment) })
    expect([without.status, without.body.param]).toEqual([400, 'idempotency_key'])
    const first = await pay(payment, { usd: 1 })
    const again = await pay(payment, { usd: 1 })
    expect([again.status, again.body]).toEqual([201, first.body])
    expect(again.headers.get('payment-response')).toBe(first.headers.get('payment-response'))
    // All but the idempotency key is on the chain.
    const guessed = await pay(payment, { usd: 1, idempotency_key: 'another-random-text' })
    expect([guessed.status, guessed.body.code]).toEqual([409, 'payment_reused'])
    const more = await pay(payment, { usd: 2 })
    expect([more.status, JSON.stringify(more.body).includes('fm_')]).toEqual([402, false])
    const stranger = await rich()
    const theirs = (await pay(await signed(stranger, { usd: 1 }), { usd: 1 })).body.data
    expect(theirs.key).not.toBe(first.body.data.key)
    expect(await paid.rowsOf(payer.address)).toMatchObject([{ state: 'settled', credits: 1000, receipt_id: null }])
    expect(await proven()).toEqual([])
  })

  test('twenty requests at once with one payment: one balance', async () => {
    const payer = await rich()
    const payment = await signed(payer, { usd: 1 })
    const before = (await query('select from agent_balances')).length
    const answers = await Promise.all(
      Array.from({ length: 20 }, async () => {
        let answer = await pay(payment, { usd: 1 })
        // On a busy machine, the server has no connection left for a while.
        while (answer.status === 503) answer = await pay(payment, { usd: 1 })
        return answer
      }),
    )
    const keys = new Set(answers.flatMap(({ status, body }) => (status === 201 ? [body.data.key] : [])))
    expect([keys.size, (await query('select from agent_balances')).length - before]).toEqual([1, 1])
    for (const { status } of answers) expect([201, 409]).toContain(status)
  })

  test('with the key, any payer adds to its balance and its budget, once; an unclaimed balance holds $20', async () => {
    const { key, claim_link } = await buy(await rich(), 10)
    const headers = { 'x-api-key': key }
    const other = await rich()
    const payment = await signed(other, { usd: 3 }, headers)
    const added = await pay(payment, { usd: 3 }, headers)
    expect([added.status, added.body.data]).toEqual([
      201,
      expect.objectContaining({
        usd: '3.00',
        credits: 3000,
        key: null,
        claim_link: expect.not.stringMatching(claim_link),
      }),
    ])
    expect((await pay(payment, { usd: 3 }, headers)).body).toEqual(added.body)
    // Without the key it would be another purchase.
    expect((await pay(payment, { usd: 3 })).body.code).toBe('payment_reused')
    expect((await callWith(key)).headers.get('x-credits-remaining')).toBe('12997')
    const rows = await query(
      `select monthly_budget - budget_left as spent, monthly_budget from m00.meter_keys join api_keys k on k.id = key_id order by k.id desc limit 1`,
    )
    expect(rows).toEqual([{ spent: 3, monthly_budget: 13_000 }])
    const full = await pay(
      await signed(other, { usd: 8 }, headers),
      { usd: 8, idempotency_key: `${SECRET}-full` },
      headers,
    )
    expect([full.status, full.body.detail]).toEqual([
      400,
      'usd: a balance that no person has claimed holds at most $20, and this one has 12997 credits. Nothing was charged.',
    ])
    const person = await paid.server.key({ credits: 5 })
    const foreign = await ask({ usd: 1 }, { 'x-api-key': person.value })
    expect([foreign.status, foreign.body.code]).toEqual([403, 'forbidden'])
    expect((await ask({ usd: 1 }, { 'x-api-key': 'fm_wrong' })).status).toBe(401)
    expect(await proven()).toEqual([])
  })

  test('a settlement that nobody answered: 503; the job opens the balance, and the same payment gets its key', async () => {
    const payer = await rich()
    const payment = await signed(payer, { usd: 1 })
    paid.world.facilitator.fault = 'error'
    const answer = await pay(payment, { usd: 1 })
    expect([answer.status, answer.body.code]).toEqual([503, 'payment_settlement_unknown'])
    await paid.world.chain.send('transferWithAuthorization', transferArguments(payment.payload))
    await paid.server.deps.payments!.findOut()
    const again = await pay(payment, { usd: 1 })
    expect([again.status, (await callWith(again.body.data.key)).status]).toEqual([201, 200])
    expect(await proven()).toEqual([])
  })

  test('a settlement that failed: 402 with fresh terms, and no account', async () => {
    const payer = await rich()
    const before = (await query('select from agent_balances')).length
    const payment = await signed(payer, { usd: 1 })
    paid.world.facilitator.fault = 'refused'
    const answer = await pay(payment, { usd: 1 })
    expect([answer.status, decoded(answer.headers.get('payment-response')).success]).toEqual([402, false])
    expect(decoded(answer.headers.get('payment-required')).accepts[0].amount).toBe('1000000')
    expect((await query('select from agent_balances')).length).toBe(before)
  })

  test('a person claims it once; the key goes on, and whoever else has the link gets what an unknown one gets', async () => {
    const payer = await rich()
    const payment = await signed(payer, { usd: 1 })
    const { key, claim_link } = (await pay(payment, { usd: 1 })).body.data
    await callWith(key)
    const [person, other] = [await startSession(paid.server), await startSession(paid.server)]
    const token = tokenOf(claim_link)
    const preview = (who: typeof person, given = token) =>
      who.call('POST', '/api/agent-balances/preview', { body: { token: given } })
    const claim = (who: typeof person, given = token) =>
      who.call('POST', '/api/agent-balances/claim', { body: { token: given } })
    expect((await preview(person)).body.data.balance).toMatchObject({
      credits: 997,
      purchases: [{ credits: 1000, cents: 100 }],
      workspace: null,
    })
    const renewed = await ask({}, { 'x-api-key': key }, `${PATH}/claim-link`)
    const newest = tokenOf(renewed.body.data.claim_link)
    const unknown = await claim(person, `${newest.slice(0, -2)}AA`)
    expect(unknown.status).toBe(404)
    expect((await claim(person)).body).toEqual(unknown.body)
    await query(`update agent_balances set link_until = app_now()`)
    expect((await claim(person, newest)).body).toEqual(unknown.body)
    await query(`update agent_balances set link_until = app_now() + interval '1 day'`)

    const taken = await Promise.all([claim(person, newest), claim(other, newest)])
    expect(taken.map(({ status }) => status).sort()).toEqual([200, 404])
    const [owner, loser] = taken[0]!.status === 200 ? [person, other] : [other, person]
    expect((await claim(loser, newest)).body).toEqual(unknown.body)
    expect((await preview(loser, newest)).status).toBe(404)
    expect((await preview(owner, newest)).body.data.balance.workspace).toMatchObject({
      name: 'Agent balance',
      role: 'owner',
    })
    const { workspaces } = (await owner.call('GET', '/api/workspaces')).body.data
    expect(workspaces.map(({ name, role }: Payment) => [name, role])).toEqual([
      ['Personal', 'owner'],
      ['Agent balance', 'owner'],
    ])
    expect((await callWith(key)).headers.get('x-credits-remaining')).toBe('994')
    const lost = await pay(payment, { usd: 1 })
    expect([lost.status, lost.body.code]).toEqual([409, 'payment_reused'])
    expect((await ask({}, { 'x-api-key': key }, `${PATH}/claim-link`)).body.code).toBe('conflict')
    expect(await buy(payer, 20, { 'x-api-key': key })).toMatchObject({ credits: 20_000, key: null, claim_link: null })
    expect(await proven()).toEqual([])
  })

  test('what is unclaimed and empty for twelve months is closed; what is claimed, or was filled again, is not', async () => {
    const payer = await rich()
    const sold = [await buy(payer), await buy(payer), await buy(payer)]
    const accounts = await query('select account_id from agent_balances order by account_id desc limit 3')
    for (const { account_id } of accounts) {
      await query(`update m00.credit_grants set remaining = 0, state = 'closed' where account_id = $1`, [account_id])
      await query('update m00.credit_accounts set balance = 0 where account_id = $1', [account_id])
    }
    const jobs = paid.server.deps.payments!
    expect(await jobs.closeBalances()).toBe(0)
    const person = await startSession(paid.server)
    await person.call('POST', '/api/agent-balances/claim', { body: { token: tokenOf(sold[1].claim_link) } })
    await query(
      `update agent_balances set empty_since = app_now() - interval '13 months' where empty_since is not null`,
    )
    await buy(payer, 1, { 'x-api-key': sold[2].key })
    expect(await jobs.closeBalances()).toBe(1)
    const statuses = []
    for (const { key } of sold) statuses.push((await callWith(key)).status)
    expect(statuses).toEqual([401, 402, 200])
  })

  test('the description says what can be paid, and how', async () => {
    const { paths } = await (await fetch(paid.url('/openapi.json'))).json()
    const offer = {
      intent: 'charge',
      method: 'x402',
      currency: 'usd',
      description: 'In millionths of a US dollar, paid on eip155:31337.',
    }
    expect(paths['/v1/test/moody'].get['x-payment-info']).toEqual({ ...offer, amount: '3000' })
    const { post } = paths['/v1/agent-balances']
    expect(post['x-payment-info']).toEqual({ ...offer, amount: null })
    expect(post.responses[402].headers['PAYMENT-REQUIRED'].description).toContain('x402')
    expect(paths['/v1/test/per-rows'].get['x-payment-info']).toBeUndefined()
  })

  test('over MCP: a tool of the payment endpoint alone', async () => {
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(new StreamableHTTPClientTransport(new URL(paid.url('/mcp?payment=x402'))))
    const { tools } = await client.listTools()
    expect(tools.at(-1)).toMatchObject({ name: 'buy_balance', _meta: { 'finmeter/price': { usd: '1 to 20' } } })
    const args = { usd: 1, idempotency_key: SECRET }
    const wanted = await client.callTool({ name: 'buy_balance', arguments: { usd: 1 } })
    expect(wanted).toMatchObject({
      isError: true,
      structuredContent: { resource: { url: 'mcp://tool/buy_balance' }, accepts: [{ amount: '1000000' }] },
    })
    const payer = await rich()
    const payment = await payer.sign(wanted.structuredContent as never)
    const sell = () => client.callTool({ name: 'buy_balance', arguments: args, _meta: { 'x402/payment': payment } })
    const first = await sell()
    expect(first).toMatchObject({
      structuredContent: { credits: 1000, key: expect.stringMatching(/^fm_/) },
      _meta: { 'x402/payment-response': { success: true, payer: payer.address } },
    })
    expect((await sell()).structuredContent).toEqual(first.structuredContent)
    await client.close()
    const { key } = first.structuredContent as { key: string }
    const listed = await fetch(paid.url('/mcp'), {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': key },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    })
    expect([listed.status, (await listed.text()).includes('buy_balance')]).toEqual([200, false])
    expect(paid.logged.join('\n')).not.toContain(key)
  })
})
