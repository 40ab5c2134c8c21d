import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type MoodyServer, startMoodyServer } from '../../agent-payments/testing/moody-server.ts'
import { canPay, decoded, encoded, type Payer } from '../../agent-payments/testing/paid-world.ts'
import { settleAccounts } from '../../credits/settle.ts'
import { foldFigures } from '../figures/fold-figures.ts'
import { runDoctor } from '../health/run-doctor.ts'
import { openConsole, type TestOperator } from '../testing/console.ts'

describe.skipIf(!canPay)('payments of agents in the console', () => {
  let paid: MoodyServer
  let finance: TestOperator
  let payer: Payer
  let receipt: string
  let balance: { credits: number; key: string }
  beforeAll(async () => {
    paid = await startMoodyServer()
    payer = await paid.world.payer(10_000_000n)
    const call = await payer.fetch(paid.url('/v1/test/moody'))
    expect(call.status).toBe(200)
    receipt = call.headers.get('x-receipt-id')!
    const bought = await payer.fetch(paid.url('/v1/agent-balances'), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ usd: 2, idempotency_key: randomUUID() }),
    })
    expect(bought.status).toBe(201)
    balance = (await bought.json()).data
    const used = await fetch(paid.url('/v1/test/moody'), { headers: { 'x-api-key': balance.key } })
    expect(used.status).toBe(200)
    finance = await openConsole(paid.server, 'finance')
  })
  afterAll(() => paid?.close())

  const get = async (path: string) => {
    const { status, body } = await finance.call('GET', path)
    expect([path, status]).toEqual([path, 200])
    return body.data
  }
  const query = async (text: string, values: unknown[] = []) => (await paid.server.db.pool.query(text, values)).rows

  test('are listed by state with receipt or balance, amount, payer and network', async () => {
    const { on, counts, payments, next } = await get('/payments?state=settled')
    expect([on, counts, next]).toEqual([true, { unknown: 0, open: 0, settled: 2, failed: 0, released: 0 }, null])
    const common = { state: 'settled', supplier: 'x402', network: 'eip155:31337', payer: payer.address, reason: null }
    const transaction = expect.stringMatching(/^0x[0-9a-f]{64}$/)
    expect(payments).toMatchObject([
      { ...common, product: 'balance', micro_usd: 2_000_000, credits: 2_000, receipt_id: null, reference: transaction },
      { ...common, product: 'call', micro_usd: 3_000, credits: 3, receipt_id: receipt, reference: transaction },
    ])
    expect(payments[0].account_id).not.toBe(payments[1].account_id)
    const { customer } = await get(`/receipts/${receipt}`)
    expect(payments[1].account_id).toBe(customer.id)
    expect((await get(`/customers/${payments[0].account_id}`)).name).toBe('Agent balance')
  })

  test('the search finds them by their transaction and by their payer', async () => {
    const { payments } = await get('/payments?state=settled')
    const [bought, call] = payments
    const hit = { to: 'payment', id: call.id, title: '$0.003 for a call', exact: true }
    for (const text of [call.reference, call.reference.toUpperCase().replace('X', 'x')])
      expect(await get(`/search?q=${text}`)).toMatchObject({ kind: 'transaction', hits: [hit] })
    const { kind, hits } = await get(`/search?q=${payer.address}`)
    expect([kind, hits.length]).toEqual(['payer', 2])
    expect(hits).toMatchObject([{ id: bought.id, title: '$2.00 for a balance' }, hit])
    expect(hits[1].detail).toMatch(/^settled, \d{4}-\d\d-\d\d \d\d:\d\d UTC$/)
    expect(await get(`/search?q=0x${'0'.repeat(64)}`)).toEqual({ kind: 'transaction', hits: [] })
  })

  test('one is shown with its transfer and its steps, and without what could be sent again', async () => {
    const { payments } = await get('/payments?state=settled&product=call')
    const one = await get(`/payments/${payments[0].id}`)
    expect(one).toMatchObject({
      ...payments[0],
      tool: 'test_moody',
      atomic: '3000',
      asset: paid.world.chain.token.toLowerCase(),
      attempts: 1,
      repeats: 0,
      looked_at: null,
    })
    expect(one.decided_at >= one.settling_at && one.settling_at >= one.at).toBe(true)
    expect(JSON.stringify(one)).not.toContain('hash')
    const missing = await finance.call('GET', `/payments/${randomUUID()}`)
    expect([missing.status, missing.body.code]).toEqual([404, 'not_found'])
  })

  test('are filtered by payer and by what was bought, and paged', async () => {
    const [{ account_id: account }] = await query('select account_id from agent_payments limit 1')
    await query(
      `insert into agent_payments (supplier, network, asset, payer, nonce, credential_hash, request_hash, pay_to, credits, micro_usd,
         atomic, account_id, state, reason, valid_before, claimed_until)
       select 'x402', 'n', 'a', '0xother', n::text, 'h', 'r', 'p', n, 1, '1', $1, 'failed', 'insufficient_funds', app_now(), app_now()
       from generate_series(1, 51) n`,
      [account],
    )
    const first = await get('/payments?state=failed&payer=0xOther')
    expect([first.counts.failed, first.payments.length, first.payments[0].credits]).toEqual([51, 50, 51])
    const last = await get(`/payments?state=failed&payer=0xother&before=${first.next}`)
    expect([last.payments.map(({ credits }: { credits: number }) => credits), last.next]).toEqual([[1], null])
    expect((await get(`/payments?state=failed&payer=${payer.address}`)).payments).toEqual([])
    expect((await get('/payments?state=failed&product=balance')).payments).toEqual([])
    expect((await get(`/payments?state=settled&payer=${payer.address}`)).payments).toHaveLength(2)
    await query(`delete from agent_payments where payer = '0xother'`)
  })

  test('one that nobody can decide is first on the attention list after ten minutes, and gone once it is decided', async () => {
    paid.world.facilitator.fault = 'error'
    const other = await paid.world.payer()
    const terms = decoded((await fetch(paid.url('/v1/test/moody'))).headers.get('payment-required'))
    const payment = encoded(await other.sign(terms))
    const answer = await fetch(paid.url('/v1/test/moody'), { headers: { 'payment-signature': payment } })
    expect(answer.status).toBe(503)
    const found = async () =>
      (await get('/attention')).findings.filter((one: object) => JSON.stringify(one).includes('undecided'))
    expect(await found()).toEqual([])
    await query(`update agent_payments set settling_at = app_now() - interval '11 minutes' where state = 'unknown'`)
    await runDoctor(paid.server.deps)
    expect(await found()).toMatchObject([
      {
        title: '1 payment of agents is undecided',
        detail: expect.stringContaining(other.address),
        link: { to: '/payments?state=unknown', label: 'Open agent payments' },
      },
    ])
    // A settlement that no job has looked up counts, too.
    for (const state of ['settling', 'unknown']) {
      await query(`update agent_payments set state = $1 where payer = $2`, [state, other.address])
      expect((await get('/payments?state=unknown')).payments).toMatchObject([{ state, payer: other.address }])
      expect((await get('/payments?state=open')).payments).toEqual([])
    }
    await query(`update agent_payments set state = 'failed' where state = 'unknown'`)
    expect(await found()).toEqual([])
  })

  test('Finance counts them apart from the payment provider, exactly as the payments and the ledger say', async () => {
    const { server } = paid
    await settleAccounts(server.db)
    // A second is folded when it is over.
    await expect
      .poll(async () => {
        await foldFigures(server.db)
        return (await get('/today')).credits.outstanding
      })
      .toBe(1_997)
    const paidBy = await query(
      `select 'agent_' || product as source, sum(micro_usd)::int as micro from agent_payments where state = 'settled' group by 1 order by 1`,
    )
    expect(paidBy).toEqual([
      { source: 'agent_balance', micro: 2_000_000 },
      { source: 'agent_call', micro: 3_000 },
    ])
    const { rows: revenue } = await get('/finance/revenue')
    expect(revenue).toMatchObject([
      {
        currency: 'usdc',
        source: 'agent_balance',
        label: 'Balances bought by agents',
        received: 2_000_000,
        net: 2_000_000,
      },
      { currency: 'usdc', source: 'agent_call', label: 'Calls paid by agents', received: 3_000, net: 3_000 },
    ])
    // The balance bought 2,000 credits, of which 3 have burned: the ledger says so, too.
    const [ledger] = await query(
      `select sum(l.delta)::int as credits from metering.credit_ledger l join metering.credit_grants g on g.id = l.grant_id where g.source_type = 'agent_payment'`,
    )
    const { rows: owed } = await get('/finance/liability')
    expect([owed, ledger.credits]).toEqual([
      [
        {
          source: 'agent_balance',
          label: 'Balances bought by agents',
          currency: 'usdc',
          credits: 1_997,
          cents: 1_997_000,
        },
      ],
      1_997,
    ])
    const { credits, money } = await get('/finance/credits')
    expect(credits).toMatchObject([
      { source: 'agent_balance', granted: 2_000, burned: 3, closing: 1_997 },
      { source: 'agent_call', granted: 3, burned: 3, closing: 0 },
    ])
    expect(money).toMatchObject([
      { source: 'agent_balance', sold: 2_000_000, earned: 3_000, closing: 1_997_000 },
      { source: 'agent_call', sold: 3_000, earned: 3_000, closing: 0 },
    ])
    const { lines } = await get('/finance/journal')
    const sums = lines.map(({ currency, account, debit, credit }: Record<string, number>) => [
      currency,
      account,
      debit,
      credit,
    ])
    expect(sums).toEqual([
      ['usdc', 'Wallet for agent payments', 2_003_000, 0],
      ['usdc', 'Credit liability', 0, 1_997_000],
      ['usdc', 'Revenue from burned credits', 0, 6_000],
    ])
    const today = await get('/today')
    expect(today.received).toEqual([{ currency: 'usdc', cents: 2_003_000, yesterday_cents: 0 }])
    expect([today.credits.sold, today.credits.granted]).toEqual([2_003, 0])
    expect((await get('/today/lists')).receipts.at(-1)).toMatchObject({ currency: 'usdc', cents: 2_003_000 })
  })
})
