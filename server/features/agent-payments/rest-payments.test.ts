import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type MoodyServer, startMoodyServer } from './testing/moody-server.ts'
import { canPay, decoded, OPERATOR } from './testing/paid-world.ts'

describe.skipIf(!canPay)('payments over REST', () => {
  let paid: MoodyServer
  beforeAll(async () => {
    paid = await startMoodyServer()
  })
  afterAll(() => paid?.close())
  beforeEach(() => paid.reset())

  test('a call without a key is 402 with terms from the price list, and nothing is written', async () => {
    const answer = await fetch(paid.url('/v1/test/moody?name=b'))
    expect(answer.status).toBe(402)
    expect(answer.headers.get('cache-control')).toBe('private, no-store')
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="Finmeter API key"')
    expect(await answer.json()).toMatchObject({
      code: 'payment_required',
      detail: 'This call costs 3 credits, $0.003. Pay for it as the terms in this response say, or send an API key.',
    })
    expect(decoded(answer.headers.get('payment-required'))).toEqual({
      x402Version: 2,
      resource: { url: paid.url('/v1/test/moody?name=b'), description: 'Moody', mimeType: 'application/json' },
      accepts: [
        {
          scheme: 'exact',
          network: 'eip155:31337',
          amount: '3000',
          asset: paid.world.chain.token,
          payTo: OPERATOR,
          maxTimeoutSeconds: 121,
          extra: { name: 'Test Dollar', version: '1' },
        },
      ],
      extensions: {},
    })
    const { rows } = await paid.server.db.pool.query('select from agent_payments union all select from agent_accounts')
    expect(rows).toEqual([])
  })

  test('the official client pays, and gets the answer with its receipt; the money has arrived', async () => {
    const payer = await paid.world.payer()
    const before = await paid.world.received()
    const answer = await payer.fetch(paid.url('/v1/test/moody'))
    expect(answer.status).toBe(200)
    expect(await answer.json()).toMatchObject({ data: { name: 'a', run: 1 } })
    expect(answer.headers.get('x-credits-charged')).toBe('3')
    expect(answer.headers.get('x-receipt-id')).toMatch(/^rcpt_/)
    expect(answer.headers.get('cache-control')).toBe('private, no-store')
    const [row] = await paid.rowsOf(payer.address)
    expect(decoded(answer.headers.get('payment-response'))).toEqual({
      success: true,
      transaction: row.reference,
      network: 'eip155:31337',
      payer: payer.address,
    })
    expect((await paid.world.received()) - before).toBe(3000n)
    expect(row).toMatchObject({
      state: 'settled',
      credits: 3,
      micro_usd: 3000,
      atomic: '3000',
      attempt: 1,
    })
    expect(row.receipt_id).toBe(answer.headers.get('x-receipt-id'))
    expect(await paid.usageOf(payer.address)).toEqual([{ success: true, from_credits: 3 }])
    expect(await paid.server.invariants()).toEqual([])
  })

  test('a price by rows is that of the limit; a body is paid for, too', async () => {
    expect(
      (
        await paid.termsOf('/v1/test/sum', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: '{"numbers":[1]}',
        })
      ).accepts[0]!.amount,
    ).toBe('1000')
    const payer = await paid.world.payer()
    const answer = await payer.fetch(paid.url('/v1/test/sum'), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"numbers":[1,2]}',
    })
    expect(await answer.json()).toMatchObject({ data: { sum: 3 } })
  })

  test('bad input is 400 before any talk of payment; what cannot be paid alone still needs a key', async () => {
    const bad = await fetch(paid.url('/v1/test/moody?nam=b'))
    expect([bad.status, bad.headers.get('payment-required')]).toEqual([400, null])
    for (const path of ['/v1/test/per-rows?rows=3', '/v1/test/moody?dry_run=true']) {
      const answer = await fetch(paid.url(path))
      expect([answer.status, answer.headers.get('payment-required')]).toEqual([401, null])
    }
    const wrong = await fetch(paid.url('/v1/test/moody'), { headers: { 'x-api-key': 'fm_wrong' } })
    expect([wrong.status, wrong.headers.get('payment-required')]).toEqual([401, null])
  })

  test('a key takes the usual way; without credits it is told how to pay, too', async () => {
    const rich = await paid.server.key({ credits: 10 })
    const served = await fetch(paid.url('/v1/test/moody'), { headers: { 'x-api-key': rich.value } })
    expect([served.status, served.headers.get('payment-required')]).toEqual([200, null])
    const poor = await paid.server.key({ credits: 2 })
    const refused = await fetch(paid.url('/v1/test/moody'), { headers: { 'x-api-key': poor.value } })
    expect([refused.status, (await refused.json()).code]).toEqual([402, 'insufficient_credits'])
    expect(decoded(refused.headers.get('payment-required')).accepts[0].amount).toBe('3000')
    const payer = await paid.world.payer()
    expect((await payer.fetch(paid.url('/v1/test/moody'), { headers: { 'x-api-key': poor.value } })).status).toBe(200)
    expect((await paid.server.spending(poor.accountId)).credits).toBe(0)
  })

  test.each([
    ['throws', 500, 1],
    ['slow', 504, 1],
    ['refuses', 404, 0],
  ] as const)(
    'a call that %s is not paid: no settlement, and the same payment is good for the next try',
    async (how, status, failedRows) => {
      const payer = await paid.world.payer()
      const { settle } = paid.world.facilitator.calls
      const payment = await payer.sign(await paid.termsOf('/v1/test/moody'))
      paid.tool.mood = how
      const failed = await paid.pay('/v1/test/moody', payment)
      expect([failed.status, failed.headers.get('payment-response')]).toEqual([status, null])
      expect(paid.world.facilitator.calls.settle).toBe(settle)
      expect(await paid.rowsOf(payer.address)).toMatchObject([{ state: 'released' }])
      expect(await paid.usageOf(payer.address)).toEqual(Array(failedRows).fill({ success: false, from_credits: 0 }))
      paid.tool.mood = 'good'
      const next = await paid.pay('/v1/test/moody', payment)
      expect([next.status, next.headers.get('x-credits-charged')]).toEqual([200, '3'])
      expect(paid.world.facilitator.calls.settle).toBe(settle + 1)
      expect(await paid.rowsOf(payer.address)).toMatchObject([{ state: 'settled', attempt: 2 }])
      expect(await paid.server.invariants()).toEqual([])
    },
  )

  test('a client that leaves pays nothing', async () => {
    const payer = await paid.world.payer()
    const { settle } = paid.world.facilitator.calls
    const payment = await payer.sign(await paid.termsOf('/v1/test/moody'))
    let goOn = () => {}
    paid.tool.waiting = new Promise((done) => {
      goOn = done
    })
    const leaving = new AbortController()
    const { runs } = paid.tool
    const asked = paid.pay('/v1/test/moody', payment, { signal: leaving.signal }).catch(() => 'left')
    await expect.poll(() => paid.tool.runs).toBe(runs + 1)
    const connections = () =>
      new Promise<number>((done) => paid.server.app.server.getConnections((_error, count) => done(count)))
    const open = await connections()
    leaving.abort()
    expect(await asked).toBe('left')
    // The server has noticed it.
    await expect.poll(connections).toBeLessThan(open)
    goOn()
    await expect.poll(() => paid.rowsOf(payer.address)).toMatchObject([{ state: 'released' }])
    expect(paid.world.facilitator.calls.settle).toBe(settle)
  })

  test('fifty requests with one payment: one is delivered and paid, the others are told so or get the same for nothing', async () => {
    const payer = await paid.world.payer()
    const before = await paid.world.received()
    const payment = await payer.sign(await paid.termsOf('/v1/test/moody'))
    const ran = paid.tool.runs
    const answers = await Promise.all(
      Array.from({ length: 50 }, async () => {
        let answer = await paid.pay('/v1/test/moody', payment)
        // On a busy machine, the server has no connection left for a while.
        while (answer.status === 503) answer = await paid.pay('/v1/test/moody', payment)
        return answer
      }),
    )
    const charged = answers.filter(({ headers }) => headers.get('x-credits-charged') === '3')
    expect(charged.length).toBe(1)
    for (const answer of answers) if (answer !== charged[0]) expect([200, 409]).toContain(answer.status)
    const repeats = answers.filter(({ status }) => status === 200).length - 1
    expect(paid.tool.runs - ran).toBe(1 + repeats)
    expect((await paid.world.received()) - before).toBe(3000n)
    expect(await paid.usageOf(payer.address)).toEqual([{ success: true, from_credits: 3 }])
  })

  test('the same payment again gives the same answer for nothing, five times; never another request', async () => {
    const payer = await paid.world.payer()
    const before = await paid.world.received()
    const terms = await paid.termsOf('/v1/test/moody')
    const payment = await payer.sign(terms)
    const first = await paid.pay('/v1/test/moody', payment)
    const shouted = structuredClone(payment)
    const { authorization } = shouted.payload
    authorization.from = `0x${authorization.from.slice(2).toUpperCase()}`
    authorization.nonce = `0x${authorization.nonce.slice(2).toUpperCase()}`
    for (const again of [payment, shouted, payment, payment, payment]) {
      const repeat = await paid.pay('/v1/test/moody', again)
      expect([repeat.status, repeat.headers.get('x-credits-charged')]).toEqual([200, '0'])
      expect(repeat.headers.get('x-receipt-id')).toBe(first.headers.get('x-receipt-id'))
      expect(repeat.headers.get('payment-response')).toBe(first.headers.get('payment-response'))
    }
    const sixth = await paid.pay('/v1/test/moody', payment)
    expect([sixth.status, (await sixth.json()).code]).toEqual([409, 'payment_reused'])
    const other = { ...payment, resource: { ...payment.resource, url: paid.url('/v1/test/moody?name=z') } }
    const another = await paid.pay('/v1/test/moody?name=z', other)
    expect([another.status, (await another.json()).code]).toEqual([409, 'payment_reused'])
    expect((await paid.world.received()) - before).toBe(3000n)
    expect(await paid.server.invariants()).toEqual([])
  })

  test('a paid call is paid though its answer is known already, and a HEAD is never paid', async () => {
    const payer = await paid.world.payer()
    const payment = await payer.sign(await paid.termsOf('/v1/test/moody'))
    const head = await paid.pay('/v1/test/moody', payment, { method: 'HEAD' })
    expect([head.status, await paid.rowsOf(payer.address)]).toEqual([405, []])
    const known = await paid.pay('/v1/test/moody', payment, { headers: { 'if-none-match': '*' } })
    expect([known.status, known.headers.get('x-credits-charged')]).toEqual([200, '3'])
    expect(await known.json()).toMatchObject({ data: { name: 'a' } })
    const again = await paid.pay('/v1/test/moody', payment, { headers: { 'if-none-match': '*' } })
    expect([again.status, again.headers.get('x-credits-charged')]).toEqual([200, '0'])
  })

  test('an operation of an upstream is asked once for one payment', async () => {
    const payer = await paid.world.payer()
    const payment = await payer.sign(await paid.termsOf('/v1/acme/price'))
    const first = await paid.pay('/v1/acme/price', payment)
    const again = await paid.pay('/v1/acme/price', payment)
    expect([first.headers.get('x-credits-charged'), again.headers.get('x-credits-charged')]).toEqual(['2', '0'])
    expect([await first.text(), paid.tool.upstreamCalls]).toEqual([await again.text(), 1])
    expect([first.headers.get('payment-required'), first.headers.get('x-payment-response')]).toEqual([null, null])
  })

  test('an idempotency key makes a second payment for one wish unnecessary', async () => {
    const payer = await paid.world.payer()
    const before = await paid.world.received()
    const terms = await paid.termsOf('/v1/test/moody')
    const headers = { 'idempotency-key': 'wish-1' }
    const first = await paid.pay('/v1/test/moody', await payer.sign(terms), { headers })
    const second = await paid.pay('/v1/test/moody', await payer.sign(terms), { headers })
    expect([first.headers.get('x-credits-charged'), second.headers.get('x-credits-charged')]).toEqual(['3', '0'])
    const other = await paid.pay(
      '/v1/test/moody?name=q',
      await payer.sign(await paid.termsOf('/v1/test/moody?name=q')),
      {
        headers,
      },
    )
    expect([other.status, (await other.json()).code]).toEqual([422, 'idempotency_mismatch'])
    const forged = await payer.sign(terms)
    forged.payload.signature = `0x${'11'.repeat(64)}1b`
    expect((await paid.pay('/v1/test/moody', forged, { headers })).status).toBe(402)
    const stranger = await paid.world.payer()
    const theirs = await paid.pay('/v1/test/moody', await stranger.sign(terms), { headers })
    expect(theirs.headers.get('x-credits-charged')).toBe('3')
    expect((await paid.world.received()) - before).toBe(6000n)
  })
})
