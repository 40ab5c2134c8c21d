import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { checkAgentPayments, checkUndecided } from '../../cli/checks/agent-payments.ts'
import { createReport } from '../../cli/checks/report.ts'
import { type MoodyServer, startMoodyServer } from './testing/moody-server.ts'
import { canPay, decoded, transferArguments } from './testing/paid-world.ts'
import { loadLibraries } from './x402/load-libraries.ts'
import { createX402 } from './x402/x402.ts'

describe.skipIf(!canPay)('settlements', () => {
  let paid: MoodyServer
  beforeAll(async () => {
    paid = await startMoodyServer()
  })
  afterAll(() => paid?.close())
  beforeEach(() => paid.reset())

  test('a settlement that is refused: the answer is withheld, and the terms are fresh', async () => {
    const payer = await paid.world.payer()
    paid.world.facilitator.fault = 'refused'
    const answer = await paid.pay('/v1/test/moody', await payer.sign(await paid.termsOf('/v1/test/moody')))
    expect(answer.status).toBe(402)
    expect(await answer.json()).toMatchObject({ code: 'payment_required' })
    expect(decoded(answer.headers.get('payment-response'))).toMatchObject({
      success: false,
      errorReason: 'insufficient_funds',
      transaction: '',
    })
    expect(decoded(answer.headers.get('payment-required')).error).toBe('insufficient_funds')
    expect(await paid.rowsOf(payer.address)).toMatchObject([{ state: 'failed', reason: 'insufficient_funds' }])
    expect(await paid.usageOf(payer.address)).toEqual([])
  })

  test.each(['error', 'not_settled', 'redirect', 'long'] as const)(
    'a settlement with %s: 503, never 402; the job finds out that no money came',
    async (fault) => {
      const payer = await paid.world.payer()
      const payment = await payer.sign(await paid.termsOf('/v1/test/moody'))
      paid.world.facilitator.fault = fault
      const answer = await paid.pay('/v1/test/moody', payment)
      expect([answer.status, (await answer.json()).code]).toEqual([503, 'payment_settlement_unknown'])
      expect([answer.headers.get('retry-after'), answer.headers.get('payment-required')]).toEqual(['10', null])
      expect((await paid.pay('/v1/test/moody', payment)).status).toBe(503)
      await paid.server.deps.payments!.findOut()
      expect(await paid.rowsOf(payer.address)).toMatchObject([{ state: 'unknown', reason: 'unused' }])
    },
  )

  test.each(['hang', 'lost'] as const)(
    'a settlement whose answer never comes (%s) is unknown, until the chain says',
    async (fault) => {
      const payer = await paid.world.payer()
      const terms = await paid.termsOf('/v1/test/moody')
      const method = createX402(paid.server.deps.config, loadLibraries(), paid.server.deps.log, 300)
      const credential = method.read(await payer.sign(terms))
      const { url, description = '' } = terms.resource
      paid.world.facilitator.fault = fault
      const quote = { credits: 3, microUsd: 3000n, resource: { url, description }, timeoutMs: 300 }
      expect(await method.settle(credential, quote)).toEqual({ kind: 'unknown', reason: 'not_answered' })
      const look = () => method.look({ ...credential, claimedAt: new Date() })
      await expect
        .poll(look)
        .toMatchObject(fault === 'lost' ? { kind: 'settled' } : { kind: 'unknown', reason: 'unused' })
    },
  )

  test('doctor says whether agents can pay, and names payments that are undecided for long', async () => {
    const check = async () => {
      const lines: string[] = []
      const report = createReport((line) => lines.push(line))
      await checkAgentPayments(paid.server.deps, report)
      await checkUndecided(paid.server.deps, report)
      return lines
    }
    await paid.server.db.pool.query(`update agent_payments set state = 'failed' where state = 'unknown'`)
    expect(await check()).toEqual(['ok     agents can pay on eip155:31337'])
    const payer = await paid.world.payer()
    const payment = await payer.sign(await paid.termsOf('/v1/test/moody'))
    paid.world.facilitator.fault = 'error'
    await paid.pay('/v1/test/moody', payment)
    await paid.server.db.pool.query(
      `update agent_payments set settling_at = app_now() - interval '11 minutes' where state = 'unknown'`,
    )
    expect(await check()).toEqual([
      'ok     agents can pay on eip155:31337',
      'WRONG  One payment of an agent is undecided: npm run admin -- payments --state unknown',
    ])
    const config = { ...paid.server.deps.config, X402_FACILITATOR: paid.server.url, X402_NETWORK: 'eip155:1' }
    const lines: string[] = []
    await checkAgentPayments(
      { config },
      createReport((line) => lines.push(line)),
    )
    expect(lines.slice(0, 2)).toEqual([
      'WRONG  X402_FACILITATOR does not say what it supports: agents cannot pay.',
      'WRONG  X402_RPC_URL is a node of eip155:31337, not of eip155:1.',
    ])
  })

  test('a settlement that was pending, and is done: 200', async () => {
    const payer = await paid.world.payer()
    paid.world.facilitator.fault = 'pending'
    const answer = await paid.pay('/v1/test/moody', await payer.sign(await paid.termsOf('/v1/test/moody')))
    expect(answer.status).toBe(200)
  })

  test('somebody else sends the signed transfer first: the payment is found, and counts', async () => {
    const payer = await paid.world.payer()
    const before = await paid.world.received()
    paid.world.facilitator.beforeSettle = async ({ paymentPayload }) => {
      await paid.world.chain.send('transferWithAuthorization', transferArguments(paymentPayload.payload))
    }
    const answer = await paid.pay('/v1/test/moody', await payer.sign(await paid.termsOf('/v1/test/moody')))
    expect([answer.status, answer.headers.get('x-credits-charged')]).toEqual([200, '3'])
    expect((await paid.world.received()) - before).toBe(3000n)
  })

  test('one transfer never pays twice: a nonce that was used for something else, beside a payment to us in the same transaction', async () => {
    const payer = await paid.world.payer()
    const before = await paid.world.received()
    const terms = await paid.termsOf('/v1/test/moody')
    const [one, two] = [await payer.sign(terms), await payer.sign(terms)]
    const { authorization } = two.payload
    const back = await payer.signTransfer({ ...authorization, to: authorization.from, value: '3000' })
    paid.world.facilitator.beforeSettle = () => paid.world.chain.sendTogether([back, transferArguments(one.payload)])
    const answer = await paid.pay('/v1/test/moody', two)
    expect((await paid.world.received()) - before).toBe(3000n)
    expect([answer.status, decoded(answer.headers.get('payment-response'))?.errorReason]).toEqual([
      402,
      'used_otherwise',
    ])
    expect(await paid.usageOf(payer.address)).toEqual([])
  })

  test('a server that died while it settled: the job finds the money, charges once, and the payer gets the answer', async () => {
    const payer = await paid.world.payer()
    const before = await paid.world.received()
    const payment = await payer.sign(await paid.termsOf('/v1/test/moody'))
    paid.world.facilitator.fault = 'error'
    await paid.pay('/v1/test/moody', payment)
    paid.world.facilitator.fault = null
    await paid.world.chain.send('transferWithAuthorization', transferArguments(payment.payload))
    await paid.server.db.pool.query(
      `update agent_payments set state = 'settling', settling_at = app_now() - interval '5 minutes' where payer = $1`,
      [payer.address],
    )
    expect(await paid.server.deps.payments!.findOut()).toBeGreaterThan(0)
    expect(await paid.server.deps.payments!.findOut()).toBe(0)
    expect(await paid.rowsOf(payer.address)).toMatchObject([
      { state: 'settled', receipt_id: expect.stringMatching(/^rcpt_/) },
    ])
    const answer = await paid.pay('/v1/test/moody', payment)
    expect([answer.status, answer.headers.get('x-credits-charged')]).toEqual([200, '0'])
    expect((await paid.world.received()) - before).toBe(3000n)
    expect(await paid.server.invariants()).toEqual([])
  })

  test('a payment that cannot be written does not stop the job: the next one is, and the first one when it can be', async () => {
    const payers = [await paid.world.payer(), await paid.world.payer()]
    paid.world.facilitator.fault = 'error'
    for (const payer of payers) {
      const payment = await payer.sign(await paid.termsOf('/v1/test/moody'))
      expect((await paid.pay('/v1/test/moody', payment)).status).toBe(503)
      await paid.world.chain.send('transferWithAuthorization', transferArguments(payment.payload))
    }
    const block = (blocked: boolean) =>
      paid.server.db.pool.query(
        'update credit_accounts set blocked = $2 where account_id = (select account_id from agent_accounts where payer = $1)',
        [payers[0]!.address, blocked],
      )
    await block(true)
    await paid.server.deps.payments!.findOut()
    expect(await paid.rowsOf(payers[0]!.address)).toMatchObject([{ state: 'unknown', reason: 'not_written' }])
    expect(await paid.rowsOf(payers[1]!.address)).toMatchObject([{ state: 'settled' }])
    await block(false)
    await paid.server.deps.payments!.findOut()
    expect(await paid.rowsOf(payers[0]!.address)).toMatchObject([{ state: 'settled' }])
    expect(await paid.server.invariants()).toEqual([])
  })
})
