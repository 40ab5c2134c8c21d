import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { AppError } from '../../http/errors.ts'
import { defineTool, type Tool } from '../tools/define-tool.ts'
import { operation } from '../tools/testing/body-tools.ts'
import { testTools } from '../tools/testing/test-tools.ts'
import { startToolServer, type ToolServer } from '../tools/testing/tool-server.ts'
import {
  canPay,
  decoded,
  encoded,
  OPERATOR,
  type PaidWorld,
  type Payment,
  type PaymentRequired,
  startPaidWorld,
} from './testing/paid-world.ts'

/** A tool that does as it is told: the same request fails first, and then succeeds. */
let mood: 'good' | 'throws' | 'slow' | 'refuses' = 'good'
let runs = 0
let waiting: Promise<void> | null = null
const moody = defineTool({
  name: 'test_moody',
  title: 'Moody',
  description: 'Fails when it is told to.',
  input: z.strictObject({ name: z.string().default('a').describe('Name') }),
  output: z.object({ name: z.string(), run: z.number() }),
  kind: 'value',
  credits: { kind: 'fixed', credits: 3 },
  timeoutMs: 300,
  rest: { method: 'GET', path: '/v1/test/moody' },
  run: async ({ name }, { signal }) => {
    runs++
    if (mood === 'throws') throw new Error('no')
    if (mood === 'refuses') throw new AppError('unknown_symbol')
    if (mood === 'slow') await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    await waiting
    return { name, run: 1 }
  },
})

describe.skipIf(!canPay)('payments over REST', () => {
  let world: PaidWorld
  let server: ToolServer
  const logged: string[] = []
  let upstreamCalls = 0
  beforeAll(async () => {
    world = await startPaidWorld()
    const upstream = operation('price', () => {
      upstreamCalls++
      return {
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: Buffer.from(`{"call":${upstreamCalls}}`),
      }
    })
    server = await startToolServer([...testTools, moody, upstream] as Tool[], world.env, logged)
  }, 120_000)
  afterAll(async () => {
    await server?.close()
    await world?.stop()
  })
  beforeEach(() => {
    mood = 'good'
    waiting = null
    world.facilitator.fault = null
    world.facilitator.beforeSettle = null
  })

  const url = (path: string) => `${server.url}${path}`
  const termsOf = async (path: string, init: RequestInit = {}): Promise<PaymentRequired> =>
    decoded((await fetch(url(path), init)).headers.get('payment-required'))
  const pay = (path: string, payment: Payment, init: RequestInit = {}) =>
    fetch(url(path), { ...init, headers: { ...init.headers, 'payment-signature': encoded(payment) } })
  const rowsOf = async (payer: string) =>
    (
      await server.db.pool.query(
        'select state, credits, micro_usd, atomic, account_id, receipt_id, reference, reason, attempt from agent_payments where payer = $1 order by id',
        [payer],
      )
    ).rows
  const usageOf = async (payer: string) =>
    (
      await server.db.pool.query(
        `select success, from_credits from usage_events where account_id in (select account_id from agent_accounts where payer = $1) order by at`,
        [payer],
      )
    ).rows

  test('a call without a key is 402 with terms from the price list, and nothing is written', async () => {
    const answer = await fetch(url('/v1/test/moody?name=b'))
    expect(answer.status).toBe(402)
    expect(answer.headers.get('cache-control')).toBe('private, no-store')
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="Finmeter API key"')
    expect(await answer.json()).toMatchObject({
      code: 'payment_required',
      detail: 'This call costs 3 credits, $0.003. Pay for it as the terms in this response say, or send an API key.',
    })
    expect(decoded(answer.headers.get('payment-required'))).toEqual({
      x402Version: 2,
      resource: { url: url('/v1/test/moody?name=b'), description: 'Moody', mimeType: 'application/json' },
      accepts: [
        {
          scheme: 'exact',
          network: 'eip155:31337',
          amount: '3000',
          asset: world.chain.token,
          payTo: OPERATOR,
          maxTimeoutSeconds: 121,
          extra: { name: 'Test Dollar', version: '1' },
        },
      ],
      extensions: {},
    })
    const { rows } = await server.db.pool.query('select from agent_payments union all select from agent_accounts')
    expect(rows).toEqual([])
  })

  test('the official client pays, and gets the answer with its receipt; the money has arrived', async () => {
    const payer = await world.payer()
    const before = await world.received()
    const answer = await payer.fetch(url('/v1/test/moody'))
    expect(answer.status).toBe(200)
    expect(await answer.json()).toMatchObject({ data: { name: 'a', run: 1 } })
    expect(answer.headers.get('x-credits-charged')).toBe('3')
    expect(answer.headers.get('x-receipt-id')).toMatch(/^rcpt_/)
    expect(answer.headers.get('cache-control')).toBe('private, no-store')
    const [row] = await rowsOf(payer.address)
    expect(decoded(answer.headers.get('payment-response'))).toEqual({
      success: true,
      transaction: row.reference,
      network: 'eip155:31337',
      payer: payer.address,
    })
    expect((await world.received()) - before).toBe(3000n)
    expect(row).toMatchObject({
      state: 'settled',
      credits: 3,
      micro_usd: 3000,
      atomic: '3000',
      attempt: 1,
    })
    expect(row.receipt_id).toBe(answer.headers.get('x-receipt-id'))
    expect(await usageOf(payer.address)).toEqual([{ success: true, from_credits: 3 }])
    expect(await server.invariants()).toEqual([])
  })

  test('a price by rows is that of the limit; a body is paid for, too', async () => {
    expect(
      (
        await termsOf('/v1/test/sum', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: '{"numbers":[1]}',
        })
      ).accepts[0]!.amount,
    ).toBe('1000')
    const payer = await world.payer()
    const answer = await payer.fetch(url('/v1/test/sum'), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"numbers":[1,2]}',
    })
    expect(await answer.json()).toMatchObject({ data: { sum: 3 } })
  })

  test('bad input is 400 before any talk of payment; what cannot be paid alone still needs a key', async () => {
    const bad = await fetch(url('/v1/test/moody?nam=b'))
    expect([bad.status, bad.headers.get('payment-required')]).toEqual([400, null])
    for (const path of ['/v1/test/per-rows?rows=3', '/v1/test/moody?dry_run=true']) {
      const answer = await fetch(url(path))
      expect([answer.status, answer.headers.get('payment-required')]).toEqual([401, null])
    }
    const wrong = await fetch(url('/v1/test/moody'), { headers: { 'x-api-key': 'fm_wrong' } })
    expect([wrong.status, wrong.headers.get('payment-required')]).toEqual([401, null])
  })

  test('a key takes the usual way; without credits it is told how to pay, too', async () => {
    const rich = await server.key({ credits: 10 })
    const served = await fetch(url('/v1/test/moody'), { headers: { 'x-api-key': rich.value } })
    expect([served.status, served.headers.get('payment-required')]).toEqual([200, null])
    const poor = await server.key({ credits: 2 })
    const refused = await fetch(url('/v1/test/moody'), { headers: { 'x-api-key': poor.value } })
    expect([refused.status, (await refused.json()).code]).toEqual([402, 'insufficient_credits'])
    expect(decoded(refused.headers.get('payment-required')).accepts[0].amount).toBe('3000')
    const payer = await world.payer()
    expect((await payer.fetch(url('/v1/test/moody'), { headers: { 'x-api-key': poor.value } })).status).toBe(200)
    expect((await server.spending(poor.accountId)).credits).toBe(0)
  })

  test.each([
    ['throws', 500, 1],
    ['slow', 504, 1],
    ['refuses', 404, 0],
  ] as const)(
    'a call that %s is not paid: no settlement, and the same payment is good for the next try',
    async (how, status, failedRows) => {
      const payer = await world.payer()
      const { settle } = world.facilitator.calls
      const payment = await payer.sign(await termsOf('/v1/test/moody'))
      mood = how
      const failed = await pay('/v1/test/moody', payment)
      expect([failed.status, failed.headers.get('payment-response')]).toEqual([status, null])
      expect(world.facilitator.calls.settle).toBe(settle)
      expect(await rowsOf(payer.address)).toMatchObject([{ state: 'released' }])
      expect(await usageOf(payer.address)).toEqual(Array(failedRows).fill({ success: false, from_credits: 0 }))
      mood = 'good'
      const paid = await pay('/v1/test/moody', payment)
      expect([paid.status, paid.headers.get('x-credits-charged')]).toEqual([200, '3'])
      expect(world.facilitator.calls.settle).toBe(settle + 1)
      expect(await rowsOf(payer.address)).toMatchObject([{ state: 'settled', attempt: 2 }])
      expect(await server.invariants()).toEqual([])
    },
  )

  test('a client that leaves pays nothing', async () => {
    const payer = await world.payer()
    const { settle } = world.facilitator.calls
    const payment = await payer.sign(await termsOf('/v1/test/moody'))
    let goOn = () => {}
    waiting = new Promise((done) => {
      goOn = done
    })
    const leaving = new AbortController()
    const before = runs
    const asked = pay('/v1/test/moody', payment, { signal: leaving.signal }).catch(() => 'left')
    await expect.poll(() => runs).toBe(before + 1)
    leaving.abort()
    expect(await asked).toBe('left')
    await new Promise((done) => setTimeout(done, 50))
    goOn()
    await expect.poll(() => rowsOf(payer.address)).toMatchObject([{ state: 'released' }])
    expect(world.facilitator.calls.settle).toBe(settle)
  })

  test('fifty requests with one payment: one is delivered and paid, the others are told so or get the same for nothing', async () => {
    const payer = await world.payer()
    const before = await world.received()
    const payment = await payer.sign(await termsOf('/v1/test/moody'))
    const ran = runs
    const answers = await Promise.all(Array.from({ length: 50 }, () => pay('/v1/test/moody', payment)))
    const charged = answers.filter(({ headers }) => headers.get('x-credits-charged') === '3')
    expect(charged.length).toBe(1)
    for (const answer of answers) if (answer !== charged[0]) expect([200, 409]).toContain(answer.status)
    const repeats = answers.filter(({ status }) => status === 200).length - 1
    expect(runs - ran).toBe(1 + repeats)
    expect((await world.received()) - before).toBe(3000n)
    expect(await usageOf(payer.address)).toEqual([{ success: true, from_credits: 3 }])
  })

  test('the same payment again gives the same answer for nothing, five times; never another request', async () => {
    const payer = await world.payer()
    const before = await world.received()
    const terms = await termsOf('/v1/test/moody')
    const payment = await payer.sign(terms)
    const first = await pay('/v1/test/moody', payment)
    const shouted = structuredClone(payment)
    const { authorization } = shouted.payload
    authorization.from = `0x${authorization.from.slice(2).toUpperCase()}`
    authorization.nonce = `0x${authorization.nonce.slice(2).toUpperCase()}`
    for (const again of [payment, shouted, payment, payment, payment]) {
      const repeat = await pay('/v1/test/moody', again)
      expect([repeat.status, repeat.headers.get('x-credits-charged')]).toEqual([200, '0'])
      expect(repeat.headers.get('x-receipt-id')).toBe(first.headers.get('x-receipt-id'))
      expect(repeat.headers.get('payment-response')).toBe(first.headers.get('payment-response'))
    }
    const sixth = await pay('/v1/test/moody', payment)
    expect([sixth.status, (await sixth.json()).code]).toEqual([409, 'payment_reused'])
    const other = { ...payment, resource: { ...payment.resource, url: url('/v1/test/moody?name=z') } }
    const another = await pay('/v1/test/moody?name=z', other)
    expect([another.status, (await another.json()).code]).toEqual([409, 'payment_reused'])
    expect((await world.received()) - before).toBe(3000n)
    expect(await server.invariants()).toEqual([])
  })

  test('an operation of an upstream is asked once for one payment', async () => {
    const payer = await world.payer()
    const payment = await payer.sign(await termsOf('/v1/acme/price'))
    const first = await pay('/v1/acme/price', payment)
    const again = await pay('/v1/acme/price', payment)
    expect([first.headers.get('x-credits-charged'), again.headers.get('x-credits-charged')]).toEqual(['2', '0'])
    expect([await first.text(), upstreamCalls]).toEqual([await again.text(), 1])
  })

  test('an idempotency key makes a second payment for one wish unnecessary', async () => {
    const payer = await world.payer()
    const before = await world.received()
    const terms = await termsOf('/v1/test/moody')
    const headers = { 'idempotency-key': 'wish-1' }
    const first = await pay('/v1/test/moody', await payer.sign(terms), { headers })
    const second = await pay('/v1/test/moody', await payer.sign(terms), { headers })
    expect([first.headers.get('x-credits-charged'), second.headers.get('x-credits-charged')]).toEqual(['3', '0'])
    const other = await pay('/v1/test/moody?name=q', await payer.sign(await termsOf('/v1/test/moody?name=q')), {
      headers,
    })
    expect([other.status, (await other.json()).code]).toEqual([422, 'idempotency_mismatch'])
    const forged = await payer.sign(terms)
    forged.payload.signature = `0x${'11'.repeat(64)}1b`
    expect((await pay('/v1/test/moody', forged, { headers })).status).toBe(402)
    const stranger = await world.payer()
    const theirs = await pay('/v1/test/moody', await stranger.sign(terms), { headers })
    expect(theirs.headers.get('x-credits-charged')).toBe('3')
    expect((await world.received()) - before).toBe(6000n)
  })

  const tampered: [string, (payment: Payment) => void][] = [
    [
      'another route of the same price',
      (p) => {
        p.resource.url = p.resource.url.replace('moody', 'rows/A')
      },
    ],
    [
      'no route',
      (p) => {
        delete p.resource
      },
    ],
    [
      'a lower amount',
      (p) => {
        p.payload.authorization.value = '2999'
      },
    ],
    [
      'a higher amount',
      (p) => {
        p.payload.authorization.value = '3001'
      },
    ],
    [
      'a lower amount that was accepted',
      (p) => {
        p.accepted.amount = '1'
        p.payload.authorization.value = '1'
      },
    ],
    [
      'another recipient',
      (p) => {
        p.payload.authorization.to = p.payload.authorization.from
      },
    ],
    [
      'another token',
      (p) => {
        p.accepted.asset = OPERATOR
      },
    ],
    [
      'another chain',
      (p) => {
        p.accepted.network = 'eip155:1'
      },
    ],
    [
      'a later beginning',
      (p) => {
        p.payload.authorization.validAfter = String(Math.floor(Date.now() / 1000) + 1000)
      },
    ],
    [
      'an end that is near',
      (p) => {
        p.payload.authorization.validBefore = String(Math.floor(Date.now() / 1000) + 20)
      },
    ],
    [
      'an end that is far',
      (p) => {
        p.payload.authorization.validBefore = String(Math.floor(Date.now() / 1000) + 100_000)
      },
    ],
    [
      'another nonce',
      (p) => {
        p.payload.authorization.nonce = `0x${'ab'.repeat(32)}`
      },
    ],
    [
      'another payer',
      (p) => {
        p.payload.authorization.from = OPERATOR
      },
    ],
    [
      'another signature',
      (p) => {
        p.payload.signature = `0x${'11'.repeat(64)}1b`
      },
    ],
    [
      'version 1',
      (p) => {
        p.x402Version = 1
      },
    ],
    [
      'another scheme',
      (p) => {
        p.accepted.scheme = 'upto'
      },
    ],
  ]
  test.each(tampered)('a payment with %s is refused, and nothing runs', async (_, change) => {
    const payer = await world.payer()
    const payment = await payer.sign(await termsOf('/v1/test/moody'))
    change(payment)
    const [ran, { settle }] = [runs, { ...world.facilitator.calls }]
    const answer = await pay('/v1/test/moody', payment)
    expect([400, 402]).toContain(answer.status)
    expect([runs, world.facilitator.calls.settle]).toEqual([ran, settle])
    expect(await rowsOf(payer.address)).toEqual([])
    if (answer.status === 402) expect(decoded(answer.headers.get('payment-required')).error).toEqual(expect.any(String))
  })

  test('a payment whose body was changed is refused', async () => {
    const payer = await world.payer()
    const init = (body: string) => ({ method: 'POST', headers: { 'content-type': 'application/json' }, body })
    const payment = await payer.sign(await termsOf('/v1/test/sum', init('{"numbers":[1]}')))
    expect((await pay('/v1/test/sum', payment, init('{"numbers":[1]}'))).status).toBe(200)
    const other = await pay('/v1/test/sum', payment, init('{"numbers":[2]}'))
    expect([other.status, (await other.json()).code]).toEqual([409, 'payment_reused'])
  })

  test.each(['', '%%%', 'e30=', 'a'.repeat(9_000), encoded({ x402Version: 2 })])(
    'a header that is no payment is 400',
    async (header) => {
      const answer = await fetch(url('/v1/test/moody'), { headers: { 'payment-signature': header } })
      expect([answer.status, (await answer.json()).param]).toEqual([400, 'PAYMENT-SIGNATURE'])
    },
  )

  test('a payer without money is refused before the work', async () => {
    const payer = await world.payer(0n)
    const ran = runs
    const answer = await pay('/v1/test/moody', await payer.sign(await termsOf('/v1/test/moody')))
    expect([answer.status, runs]).toEqual([402, ran])
    expect(decoded(answer.headers.get('payment-required')).error).toMatch(/insufficient|balance|simulation/)
  })

  test('a settlement that is refused: the answer is withheld, and the terms are fresh', async () => {
    const payer = await world.payer()
    world.facilitator.fault = 'refused'
    const answer = await pay('/v1/test/moody', await payer.sign(await termsOf('/v1/test/moody')))
    expect(answer.status).toBe(402)
    expect(await answer.json()).toMatchObject({ code: 'payment_required' })
    expect(decoded(answer.headers.get('payment-response'))).toMatchObject({
      success: false,
      errorReason: 'insufficient_funds',
      transaction: '',
    })
    expect(decoded(answer.headers.get('payment-required')).error).toBe('insufficient_funds')
    expect(await rowsOf(payer.address)).toMatchObject([{ state: 'failed', reason: 'insufficient_funds' }])
    expect(await usageOf(payer.address)).toEqual([])
  })

  test.each(['error', 'not_settled'] as const)(
    'a settlement with %s: 503, never 402; the job finds out that no money came',
    async (fault) => {
      const payer = await world.payer()
      const payment = await payer.sign(await termsOf('/v1/test/moody'))
      world.facilitator.fault = fault
      const answer = await pay('/v1/test/moody', payment)
      expect([answer.status, (await answer.json()).code]).toEqual([503, 'payment_settlement_unknown'])
      expect([answer.headers.get('retry-after'), answer.headers.get('payment-required')]).toEqual(['10', null])
      expect((await pay('/v1/test/moody', payment)).status).toBe(503)
      await server.deps.payments!.findOut()
      expect(await rowsOf(payer.address)).toMatchObject([{ state: 'unknown', reason: 'unused' }])
    },
  )

  test('a settlement that was pending, and is done: 200', async () => {
    const payer = await world.payer()
    world.facilitator.fault = 'pending'
    const answer = await pay('/v1/test/moody', await payer.sign(await termsOf('/v1/test/moody')))
    expect(answer.status).toBe(200)
  })

  test('somebody else sends the signed transfer first: the payment is found, and counts', async () => {
    const payer = await world.payer()
    const before = await world.received()
    world.facilitator.beforeSettle = async ({ paymentPayload }) => {
      const { from, to, value, validAfter, validBefore, nonce } = paymentPayload.payload.authorization
      await world.chain.send('transferWithAuthorization', [
        from,
        to,
        value,
        validAfter,
        validBefore,
        nonce,
        paymentPayload.payload.signature,
      ])
    }
    const answer = await pay('/v1/test/moody', await payer.sign(await termsOf('/v1/test/moody')))
    expect([answer.status, answer.headers.get('x-credits-charged')]).toEqual([200, '3'])
    expect((await world.received()) - before).toBe(3000n)
  })

  test('a server that died while it settled: the job finds the money, charges once, and the payer gets the answer', async () => {
    const payer = await world.payer()
    const before = await world.received()
    const payment = await payer.sign(await termsOf('/v1/test/moody'))
    world.facilitator.fault = 'error'
    await pay('/v1/test/moody', payment)
    world.facilitator.fault = null
    const { authorization: a, signature } = payment.payload
    await world.chain.send('transferWithAuthorization', [
      a.from,
      a.to,
      a.value,
      a.validAfter,
      a.validBefore,
      a.nonce,
      signature,
    ])
    await server.db.pool.query(
      `update agent_payments set state = 'settling', settling_at = app_now() - interval '5 minutes' where payer = $1`,
      [payer.address],
    )
    expect(await server.deps.payments!.findOut()).toBeGreaterThan(0)
    expect(await server.deps.payments!.findOut()).toBe(0)
    expect(await rowsOf(payer.address)).toMatchObject([
      { state: 'settled', receipt_id: expect.stringMatching(/^rcpt_/) },
    ])
    const answer = await pay('/v1/test/moody', payment)
    expect([answer.status, answer.headers.get('x-credits-charged')]).toEqual([200, '0'])
    expect((await world.received()) - before).toBe(3000n)
    expect(await server.invariants()).toEqual([])
  })

  test('no signature and no payment is in the log', async () => {
    const payer = await world.payer()
    const payment = await payer.sign(await termsOf('/v1/test/moody'))
    mood = 'throws'
    await pay('/v1/test/moody', payment)
    world.facilitator.fault = 'error'
    mood = 'good'
    await pay('/v1/test/moody', payment)
    expect(logged.length).toBeGreaterThan(0)
    const text = logged.join('\n')
    for (const secret of [
      payment.payload.signature.slice(2),
      encoded(payment).slice(0, 60),
      payment.payload.authorization.nonce,
    ])
      expect(text).not.toContain(secret)
  })
})
