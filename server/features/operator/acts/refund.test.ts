import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { startTestServer } from '#server/testing/harness.ts'
import { startSession, type TestSession } from '#server/testing/session.ts'
import { closeAfterTests } from '../../../testing/close-after-tests.ts'
import { findMissedEvents } from '../../billing/events/find-missed-events.ts'
import { accountOf, buyCredits, settleBilling, spend } from '../../billing/testing/billing.ts'
import { tellBeforeAnswer } from '../../billing/testing/tell-before-answer.ts'
import { checkInvariants } from '../../metering/invariants.ts'
import { openConsole } from '../testing/console.ts'

const server = await closeAfterTests(startTestServer({ env: { SANDBOX: 'on' } }))
const { client } = server.deps.stripe!
const finance = await openConsole(server, 'finance')
const owner = await openConsole(server, 'owner')
const rows = async (text: string, values: unknown[] = []) => (await server.db.pool.query(text, values)).rows

interface Sale {
  person: TestSession
  account: number
  path: string
  invoice: string
  intent: string
}

/** 20,000 credits for 400 cents, of which some are burned. */
async function sale({ burned = 0, card }: { burned?: number; card?: string } = {}): Promise<Sale> {
  const person = await startSession(server)
  const { workspace } = (await person.call('GET', '/api/auth/profile')).body.data
  await buyCredits(server, person, 2, card ? { card } : {})
  if (burned > 0) await spend(server, person, burned)
  const account = await accountOf(server, person)
  const [{ id, payment_intent_id }] = await rows('select id, payment_intent_id from invoices where account_id = $1', [
    account,
  ])
  return { person, account, path: `/customers/${workspace.id}`, invoice: id, intent: payment_intent_id }
}
/** As Stripe's own client sees them. */
const atStripe = async ({ intent }: Sale) =>
  (await client.refunds.list({ payment_intent: intent })).data.map(({ amount, status }) => ({ amount, status }))
const balance = async ({ account }: Sale) =>
  (await rows('select balance::int from credit_accounts where account_id = $1', [account]))[0].balance
const preview = async ({ path, invoice }: Sale) =>
  (await finance.call('GET', `${path}/invoices/${invoice}/refund`)).body.data
const refundsOf = async ({ path }: Sale) => (await finance.call('GET', `${path}/refunds`)).body.data.refunds
const logged = async ({ path }: Sale) =>
  (await finance.call('GET', `/log?account=${path.slice(11)}`)).body.data.entries.map(
    ({ action, before, after }: { action: string; before: object; after: object }) => ({ action, before, after }),
  )

describe('a refund', () => {
  test('of the unburned part leaves the customer no burned credit for free, and is in the log', async () => {
    const sold = await sale({ burned: 15_000 })
    expect(await preview(sold)).toEqual({
      paid_cents: 400,
      refunded_cents: 0,
      granted: 20_000,
      left: 5_000,
      burned: 15_000,
      unburned_cents: 100,
      cents: 100,
      taken: 5_000,
      kept: 0,
    })
    const more = await finance.call('GET', `${sold.path}/invoices/${sold.invoice}/refund?cents=300`)
    expect(more.body.data).toMatchObject({ cents: 300, taken: 5_000, kept: 10_000 })
    const { status, body } = await finance.act(`${sold.path}/refunds`, { invoice: sold.invoice, cents: 100 })
    expect([status, body.data]).toEqual([200, { state: 'succeeded' }])
    expect([await balance(sold), await atStripe(sold)]).toEqual([0, [{ amount: 100, status: 'succeeded' }]])
    await settleBilling(server)
    expect(await balance(sold)).toBe(0)
    expect(await preview(sold)).toMatchObject({ refunded_cents: 100, left: 0, unburned_cents: 0, cents: 0 })
    expect(await logged(sold)).toEqual([
      {
        action: 'refund.started',
        before: { refunded_cents: 0, credits_left: 5_000 },
        after: { refunded_cents: 100, credits_left: 0, credits_kept: 0, cents: 100 },
      },
    ])
    expect((await rows('select cents::int from operator_log where target = $1', [sold.invoice])) as unknown).toEqual([
      { cents: 100 },
    ])
    expect(await checkInvariants(server.db)).toEqual([])
  })

  test('of more needs the number of burned credits that the customer keeps', async () => {
    const sold = await sale({ burned: 15_000 })
    const more = { invoice: sold.invoice, cents: 300 }
    for (const keeps_credits of [0, 9_999]) {
      const { status, body } = await finance.act(`${sold.path}/refunds`, { ...more, keeps_credits })
      expect([status, body.error]).toEqual([
        409,
        'The customer would keep 10000 burned credits. The unburned credits are worth 100 cents now.',
      ])
    }
    expect([await atStripe(sold), await refundsOf(sold)]).toEqual([[], []])
    expect((await finance.act(`${sold.path}/refunds`, { ...more, keeps_credits: 10_000 })).status).toBe(200)
    expect(await rows('select voided::int, spent::int from reversals where account_id = $1', [sold.account])).toEqual([
      { voided: 5_000, spent: 10_000 },
    ])
  })

  test('pressed twice is one refund, also at once and from two operators who want the same', async () => {
    const sold = await sale()
    const id = randomUUID()
    const press = () => finance.act(`${sold.path}/refunds`, { invoice: sold.invoice, cents: 400 }, id)
    const answers = await Promise.all([press(), press(), press()])
    expect(answers.map(({ status, body }) => [status, body.data])).toEqual(
      [1, 2, 3].map(() => [200, { state: 'succeeded' }]),
    )
    expect(await atStripe(sold)).toEqual([{ amount: 400, status: 'succeeded' }])
    const other = await owner.act(`${sold.path}/refunds`, { invoice: sold.invoice, cents: 1 })
    expect([other.status, other.body.error]).toEqual([409, 'All money of this invoice went back already.'])
    const two = await sale()
    const reused = await finance.act(`${two.path}/refunds`, { invoice: two.invoice, cents: 1 }, id)
    expect([reused.status, reused.body.error]).toEqual([409, 'This act_id was already used for another action.'])
    const whole = { invoice: two.invoice, cents: 400 }
    const both = await Promise.all([owner.act(`${two.path}/refunds`, whole), finance.act(`${two.path}/refunds`, whole)])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
    expect(await atStripe(two)).toEqual([{ amount: 400, status: 'succeeded' }])
  })

  test('of a part, pressed at once by two operators who both saw nothing refunded, goes back once', async () => {
    const sold = await sale()
    const half = { invoice: sold.invoice, cents: 200, refunded_cents: 0 }
    const both = await Promise.all([owner.act(`${sold.path}/refunds`, half), finance.act(`${sold.path}/refunds`, half)])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
    expect(both.find(({ status }) => status === 409)!.body.error).toMatch(
      /^(Another refund of this invoice was made meanwhile\. Open the form again to see what is left\.|The payment provider has not answered an earlier refund of this invoice\. Send that one again first\.)$/,
    )
    expect([await balance(sold), await atStripe(sold)]).toEqual([10_000, [{ amount: 200, status: 'succeeded' }]])
    const late = await finance.act(`${sold.path}/refunds`, half)
    expect([late.status, late.body.error]).toEqual([
      409,
      'Another refund of this invoice was made meanwhile. Open the form again to see what is left.',
    ])
    const seen = await finance.act(`${sold.path}/refunds`, { ...half, refunded_cents: 200 })
    expect([seen.status, await balance(sold)]).toEqual([200, 0])
  })

  test('while another is made at the provider takes the credits of both', async () => {
    const sold = await sale()
    const told = tellBeforeAnswer(server, 'GET', /charges.ch_\w+/, async ({ deps }) => {
      await client.refunds.create({ payment_intent: sold.intent, amount: 200 })
      await findMissedEvents(deps)
    })
    const sent = await finance.act(`${sold.path}/refunds`, { invoice: sold.invoice, cents: 200 })
    expect([sent.body.data, told()]).toEqual([{ state: 'succeeded' }, true])
    await settleBilling(server)
    expect([await balance(sold), (await atStripe(sold)).length]).toEqual([0, 2])
  })

  test('that is confirmed before the provider has answered stays so', async () => {
    const sold = await sale({ card: 'pm_card_pendingRefund' })
    const told = tellBeforeAnswer(server, 'POST', /refunds$/, async (of) => {
      const [refund] = (await client.refunds.list({ payment_intent: sold.intent })).data
      await of.stripeSandbox!.settleRefund(refund!.id, 'succeeded')
      await settleBilling(of)
    })
    const sent = await finance.act(`${sold.path}/refunds`, { invoice: sold.invoice, cents: 200 })
    expect([sent.status, told()]).toEqual([200, true])
    expect((await refundsOf(sold))[0].state).toBe('succeeded')
  })

  test('is pending until the provider confirms it, and its failure restores the credits', async () => {
    for (const outcome of ['succeeded', 'failed'] as const) {
      const sold = await sale({ card: 'pm_card_pendingRefund' })
      const sent = await finance.act(`${sold.path}/refunds`, { invoice: sold.invoice, cents: 200 })
      expect(sent.body.data).toEqual({ state: 'pending' })
      await settleBilling(server)
      expect([await balance(sold), (await refundsOf(sold))[0].state]).toEqual([10_000, 'pending'])
      const [refund] = (await client.refunds.list({ payment_intent: sold.intent })).data
      await server.stripeSandbox!.settleRefund(refund!.id, outcome)
      await settleBilling(server)
      const { state, error } = (await refundsOf(sold))[0]
      expect([await balance(sold), state, error]).toEqual(
        outcome === 'failed' ? [20_000, 'failed', 'expired_or_canceled_card'] : [10_000, 'succeeded', null],
      )
      // The customer has paid for what came back: support cannot take it away.
      expect((await finance.call('GET', `${sold.path}/acts`)).body.data.unpaid_credits).toBe(0)
      expect((await finance.act(`${sold.path}/take-backs`, { credits: 1 })).status).toBe(409)
    }
  })

  test('that fails at once changes no credits, and is in the log', async () => {
    const sold = await sale({ card: 'pm_card_refundFail' })
    const sent = await finance.act(`${sold.path}/refunds`, { invoice: sold.invoice, cents: 400 })
    expect(sent.body.data).toEqual({ state: 'failed' })
    await settleBilling(server)
    expect(await balance(sold)).toBe(20_000)
    expect((await logged(sold))[0]).toEqual({
      action: 'refund.failed',
      before: null,
      after: { cents: 400, error: 'expired_or_canceled_card' },
    })
  })

  test('frees its own amount of the limit of its own day, and no more', async () => {
    const [sold, other] = [await sale({ card: 'pm_card_refundFail' }), await sale()]
    const limited = await openConsole(server, 'finance')
    await rows(
      `insert into operator_log (operator, action, reason, cents) values ($1, 'refund.started', 'a test', 49600)`,
      [limited.email],
    )
    const id = randomUUID()
    const press = () => limited.act(`${sold.path}/refunds`, { invoice: sold.invoice, cents: 400 }, id)
    const answers = await Promise.all([press(), press(), press()])
    expect(answers.map(({ body }) => body.data)).toEqual([1, 2, 3].map(() => ({ state: 'failed' })))
    const ofYesterday = randomUUID()
    await rows(
      `insert into operator_log (operator, action, reason, cents, act_id, at)
        values ($1, 'refund.started', 'a test', 300, $2, app_now() - interval '1 day')`,
      [limited.email, ofYesterday],
    )
    await rows('insert into refunds (act_id, account_id, invoice_id, operator, cents) values ($1, $2, $3, $4, 300)', [
      ofYesterday,
      sold.account,
      sold.invoice,
      limited.email,
    ])
    const sent = await limited.act(`${sold.path}/refunds/${ofYesterday}/send`)
    expect(sent.body.data).toEqual({ state: 'failed' })
    const spare = await sale()
    // 400 cents are left of the day.
    const used = await limited.act(`${other.path}/refunds`, { invoice: other.invoice, cents: 399 })
    expect([used.status, used.body.data]).toEqual([200, { state: 'succeeded' }])
    const over = await limited.act(`${spare.path}/refunds`, { invoice: spare.invoice, cents: 2 })
    expect([over.status, over.body.error]).toEqual([
      403,
      'You can refund $500.00 per day (UTC) in this currency, and have used $499.99 today. Ask an owner to do this.',
    ])
  })

  test('while Stripe is down changes nothing and can be sent again, from the form and from the list', async () => {
    for (const again of ['form', 'list'] as const) {
      const sold = await sale()
      const id = randomUUID()
      const press = () => finance.act(`${sold.path}/refunds`, { invoice: sold.invoice, cents: 400 }, id)
      const real = client.refunds.list
      const { Stripe } = await import('stripe')
      client.refunds.list = () =>
        Promise.reject(new Stripe.errors.StripeConnectionError({ message: 'no route' })) as never
      const failed = await press().finally(() => {
        client.refunds.list = real
      })
      expect([failed.status, failed.body.code, failed.body.error]).toEqual([
        503,
        'billing_unavailable',
        'The payment provider did not answer, so nothing has changed yet. Send it again: it stays one refund.',
      ])
      expect([await balance(sold), await atStripe(sold)]).toEqual([20_000, []])
      expect((await refundsOf(sold))[0]).toMatchObject({ id, state: 'unsent', cents: 400, operator: finance.email })
      const second = await owner.act(`${sold.path}/refunds`, { invoice: sold.invoice, cents: 100 })
      expect([second.status, second.body.error]).toEqual([
        409,
        'The payment provider has not answered an earlier refund of this invoice. Send that one again first.',
      ])
      const sent = again === 'form' ? await press() : await owner.act(`${sold.path}/refunds/${id}/send`)
      expect([sent.status, sent.body.data]).toEqual([200, { state: 'succeeded' }])
      expect([await balance(sold), await atStripe(sold)]).toEqual([0, [{ amount: 400, status: 'succeeded' }]])
    }
  })

  test('that Stripe is still busy with stays unsent, so that no other one takes its place', async () => {
    const sold = await sale()
    const id = randomUUID()
    const press = () => finance.act(`${sold.path}/refunds`, { invoice: sold.invoice, cents: 200 }, id)
    const real = client.refunds.create
    const { Stripe } = await import('stripe')
    client.refunds.create = () =>
      Promise.reject(
        new Stripe.errors.StripeInvalidRequestError({
          type: 'invalid_request_error',
          code: 'idempotency_key_in_use',
          statusCode: 409,
          message: 'There is currently another in-progress request using this Idempotent Key.',
        } as never),
      ) as never
    const busy = await press().finally(() => {
      client.refunds.create = real
    })
    expect([busy.status, busy.body.code, (await refundsOf(sold))[0].state]).toEqual([
      503,
      'billing_unavailable',
      'unsent',
    ])
    const other = await owner.act(`${sold.path}/refunds`, { invoice: sold.invoice, cents: 200 })
    expect(other.status).toBe(409)
    expect((await press()).body.data).toEqual({ state: 'succeeded' })
    expect(await atStripe(sold)).toEqual([{ amount: 200, status: 'succeeded' }])
  })

  test('that was made before the answer was lost is found, and not made again', async () => {
    const sold = await sale()
    const id = randomUUID()
    await rows(
      `insert into refunds (act_id, account_id, invoice_id, operator, cents) values ($1, $2, $3, 'x@example.com', 400)`,
      [id, sold.account, sold.invoice],
    )
    await client.refunds.create({ payment_intent: sold.intent, amount: 400, metadata: { act_id: id } })
    const sent = await owner.act(`${sold.path}/refunds/${id}/send`)
    expect([sent.body.data, (await atStripe(sold)).length, await balance(sold)]).toEqual([{ state: 'succeeded' }, 1, 0])
  })

  test('beyond the limit of a day, above what is left, and of another customer is refused', async () => {
    const [sold, other] = [await sale(), await sale()]
    const limited = await openConsole(server, 'finance')
    await rows(
      `insert into operator_log (operator, action, reason, cents) values ($1, 'refund.started', 'a test', 49900)`,
      [limited.email],
    )
    const over = await limited.act(`${sold.path}/refunds`, { invoice: sold.invoice, cents: 101 })
    expect([over.status, over.body.error]).toEqual([
      403,
      'You can refund $500.00 per day (UTC) in this currency, and have used $499.00 today. Ask an owner to do this.',
    ])
    // Money of another currency has a limit of its own.
    const euros = await sale()
    await rows(`update invoices set currency = 'eur' where id = $1`, [euros.invoice])
    const inEuros = () => limited.act(`${euros.path}/refunds`, { invoice: euros.invoice, cents: 101 })
    expect((await inEuros()).status).toBe(200)
    await rows(
      `insert into operator_log (operator, action, reason, cents, target) values ($1, 'refund.started', 'a test', 49800, $2)`,
      [limited.email, euros.invoice],
    )
    expect((await inEuros()).body.error).toBe(
      'You can refund €500.00 per day (UTC) in this currency, and have used €499.01 today. Ask an owner to do this.',
    )
    const more = await owner.act(`${sold.path}/refunds`, { invoice: sold.invoice, cents: 401 })
    expect([more.status, more.body.error]).toEqual([409, 'At most 400 cents of this invoice are left to refund.'])
    for (const { status, body } of [
      await owner.act(`${sold.path}/refunds`, { invoice: other.invoice, cents: 1 }),
      await owner.call('GET', `${sold.path}/invoices/${other.invoice}/refund`),
    ])
      expect([status, body.error]).toEqual([404, `There is no paid invoice ${other.invoice}.`])
    expect((await owner.act(`${sold.path}/refunds/${randomUUID()}/send`)).status).toBe(404)
    expect((await owner.act(`${sold.path}/refunds`, { invoice: sold.invoice, cents: 1.5 })).status).toBe(400)
    expect([await atStripe(sold), await atStripe(other)]).toEqual([[], []])
  })

  test('is possible while the account is being deleted', async () => {
    const sold = await sale()
    await sold.person.call('POST', '/api/account/deletion', { body: { confirmation: 'delete my account' } })
    expect((await finance.act(`${sold.path}/refunds`, { invoice: sold.invoice, cents: 400 })).status).toBe(200)
    expect(await atStripe(sold)).toEqual([{ amount: 400, status: 'succeeded' }])
  })
})
