import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type MoodyServer, startMoodyServer } from './testing/moody-server.ts'
import { canPay, decoded, encoded, OPERATOR, type Payment } from './testing/paid-world.ts'

describe.skipIf(!canPay)('payments that are refused', () => {
  let paid: MoodyServer
  beforeAll(async () => {
    paid = await startMoodyServer()
  })
  afterAll(() => paid?.close())
  beforeEach(() => paid.reset())

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
    const payer = await paid.world.payer()
    const payment = await payer.sign(await paid.termsOf('/v1/test/moody'))
    change(payment)
    const [ran, { settle }] = [paid.tool.runs, { ...paid.world.facilitator.calls }]
    const answer = await paid.pay('/v1/test/moody', payment)
    expect([400, 402]).toContain(answer.status)
    expect([paid.tool.runs, paid.world.facilitator.calls.settle]).toEqual([ran, settle])
    expect(await paid.rowsOf(payer.address)).toEqual([])
    if (answer.status === 402) expect(decoded(answer.headers.get('payment-required')).error).toEqual(expect.any(String))
  })

  test('a payment whose body was changed is refused', async () => {
    const payer = await paid.world.payer()
    const init = (body: string) => ({ method: 'POST', headers: { 'content-type': 'application/json' }, body })
    const payment = await payer.sign(await paid.termsOf('/v1/test/sum', init('{"numbers":[1]}')))
    expect((await paid.pay('/v1/test/sum', payment, init('{"numbers":[1]}'))).status).toBe(200)
    const other = await paid.pay('/v1/test/sum', payment, init('{"numbers":[2]}'))
    expect([other.status, (await other.json()).code]).toEqual([409, 'payment_reused'])
  })

  test.each(['', '%%%', 'e30=', 'a'.repeat(9_000), encoded({ x402Version: 2 })])(
    'a header that is no payment is 400',
    async (header) => {
      const answer = await fetch(paid.url('/v1/test/moody'), { headers: { 'payment-signature': header } })
      expect([answer.status, (await answer.json()).param]).toEqual([400, 'PAYMENT-SIGNATURE'])
    },
  )

  test('a payer without money is refused before the work', async () => {
    const payer = await paid.world.payer(0n)
    const ran = paid.tool.runs
    const answer = await paid.pay('/v1/test/moody', await payer.sign(await paid.termsOf('/v1/test/moody')))
    expect([answer.status, paid.tool.runs]).toEqual([402, ran])
    expect(decoded(answer.headers.get('payment-required')).error).toMatch(/insufficient|balance|simulation/)
  })
})
