import { afterAll, beforeAll, expect, test } from 'vitest'
import { heard } from '#server/testing/heard.ts'
import { setSuspended } from '../account/set-suspended.ts'
import { grantCredits } from '../credits/grant.ts'
import { setKeyBudget } from './keys.ts'
import { countSessions } from './testing/count-sessions.ts'
import { call, type Instance, type MeterFixture, meterFixture } from './testing/meter-fixture.ts'
import { wireTo } from './testing/wire.ts'

let fixture: MeterFixture
let instance: Instance
let other: Instance

beforeAll(async () => {
  fixture = await meterFixture()
  instance = await fixture.instance()
  other = await fixture.instance()
})
afterAll(() => fixture.close())

const unlimitedRate = { rateLimitPerMinute: null }

async function refusalOf(meter: Instance['meter'], accountId: number, credits = 1): Promise<string | null> {
  try {
    await meter.admit({ accountId, bucket: 0, keyId: null, ...unlimitedRate }, credits)
    return null
  } catch (error) {
    return (error as { code: string }).code
  }
}

/** Calls until the refusal is cached: the notification of the account's first grant may arrive in between. */
async function untilRefused({ meter }: Instance, account: { accountId: number; keyId: number }): Promise<void> {
  while (!(await refusalOf(meter, account.accountId))) await meter.commit(call(account))
}

test('an account known to be empty is refused before work, free tools are not, and a grant takes effect everywhere at once', async () => {
  const account = await fixture.account(1)
  for (const { meter } of [instance, other]) {
    expect(await refusalOf(meter, account.accountId)).toBeNull()
    await meter.commit(call(account, { credits: 2 }))
  }
  // One credit is left: cheaper calls can still pass.
  expect(await refusalOf(instance.meter, account.accountId)).toBeNull()
  await instance.meter.commit(call(account))
  for (const { meter } of [instance, other]) {
    await untilRefused({ ...instance, meter }, account)
    expect(await refusalOf(meter, account.accountId)).toBe('insufficient_credits')
    expect(await refusalOf(meter, account.accountId, 0)).toBeNull()
  }
  const notified = [instance, other].map(({ listener }) => heard(listener, 'credits_changed', account.accountId))
  await grantCredits(fixture.db.kysely, {
    ...account,
    kind: 'topup',
    amount: 5,
    sourceType: 'test',
    sourceId: 'noticed',
  })
  await Promise.all(notified)
  for (const { meter } of [instance, other]) expect(await refusalOf(meter, account.accountId)).toBeNull()
})

test('credits that are bought while a call is being refused can be spent at once', async () => {
  const account = await fixture.account()
  const wire = await wireTo(fixture.url)
  const { meter, listener, close } = await fixture.instance({ databaseUrl: wire.url })
  await meter.commit(call(account, { credits: 0 }))
  const batches = async () => (await fixture.db.pool.query('select count(*)::int as n from meter_batches')).rows[0].n
  const before = await batches()
  wire.loseAnswers()
  const refused = meter.commit(call(account))
  await expect.poll(batches).toBe(before + 1)
  const notified = heard(listener, 'credits_changed', account.accountId)
  await grantCredits(fixture.db.kysely, {
    ...account,
    kind: 'topup',
    amount: 5,
    sourceType: 'test',
    sourceId: 'meanwhile',
  })
  await notified
  wire.mend()
  wire.cut()
  expect(await refused).toMatchObject({ code: 'insufficient_credits' })
  expect(await refusalOf(meter, account.accountId)).toBeNull()
  await close()
  await wire.close()
})

test('the refusal says how to get more credits', async () => {
  const account = await fixture.account()
  await untilRefused(instance, account)
  await expect(async () => instance.meter.admit({ ...account, ...unlimitedRate }, 1)).rejects.toMatchObject({
    status: 402,
    detail: { help: expect.stringMatching(/^http:\/\/localhost:\d+\/dashboard\/billing\/$/) },
  })
})

test('a suspended account is refused, and served again when the suspension ends', async () => {
  const account = await fixture.account(5)
  await setSuspended(fixture.db.kysely, account.accountId, true)
  await untilRefused(instance, account)
  expect(await refusalOf(instance.meter, account.accountId, 0)).toBe('account_suspended')
  const notified = heard(instance.listener, 'credits_changed', account.accountId)
  await setSuspended(fixture.db.kysely, account.accountId, false)
  await notified
  expect(await refusalOf(instance.meter, account.accountId)).toBeNull()
})

test('hints are not trusted while change notifications are down', async () => {
  const account = await fixture.account()
  const deaf = await fixture.instance()
  await untilRefused(deaf, account)
  await deaf.listener.close()
  expect(await refusalOf(deaf.meter, account.accountId)).toBeNull()
})

test('what was learned before change notifications were lost is not trusted once they are back', async () => {
  const account = await fixture.account()
  const { meter, listener, close } = await fixture.instance()
  await untilRefused({ meter, listener, close }, account)
  const listeners = [listener, instance.listener, other.listener]
  const lost = listeners.map((one) => new Promise<void>((done) => one.onLost(done)))
  await countSessions(fixture.db, 'pg_terminate_backend(pid)', "application_name = 'finmeter-listen'")
  await Promise.all(lost)
  for (const one of listeners) await expect.poll(() => one.connected).toBe(true)
  expect(await refusalOf(meter, account.accountId)).toBeNull()
  await close()
})

test('a key over its budget says nothing about an account that pay-as-you-go can pay for', async () => {
  const account = await fixture.account()
  await fixture.db.pool.query('update credit_accounts set payg_enabled = true, payg_left = 5 where account_id = $1', [
    account.accountId,
  ])
  await setKeyBudget(fixture.db.kysely, account, 1)
  expect(await instance.meter.commit(call(account, { credits: 2 }))).toMatchObject({ code: 'key_budget_exceeded' })
  expect(await refusalOf(instance.meter, account.accountId)).toBeNull()
})

test('requests per minute are counted per account', async () => {
  const [one, two] = [await fixture.account(5), await fixture.account(5)]
  const admit = (account: typeof one) => instance.meter.admit({ ...account, rateLimitPerMinute: 2 }, 1)
  expect(admit(one)).toEqual({ policy: 'account', limit: 2, remaining: 1, resetSeconds: 60 })
  expect(admit(one)).toMatchObject({ remaining: 0 })
  expect(() => admit(one)).toThrow(
    expect.objectContaining({
      code: 'rate_limited',
      status: 429,
      detail: { retryAfterSeconds: 60, rateLimit: { policy: 'account', limit: 2 } },
    }),
  )
  expect(admit(two)).toMatchObject({ remaining: 1 })
})

test('an account that is not in the bucket asked is not taken for an empty one', async () => {
  const accountId = 999_999_999
  expect(await instance.meter.commit(call({ accountId, keyId: null }))).toMatchObject({ code: 'key_invalid' })
  expect(await refusalOf(instance.meter, accountId)).toBeNull()
})
