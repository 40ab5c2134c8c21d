import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '#server/testing/harness.ts'
import { startSession, type TestSession } from '#server/testing/session.ts'
import { findMissedEvents } from '../events/find-missed-events.ts'
import { reconcile } from '../reconcile.ts'
import { accountOf, settleBilling } from '../testing/billing.ts'
import { setUpTaxes } from '../testing/set-up-taxes.ts'
import { tellBeforeAnswer } from '../testing/tell-before-answer.ts'

let server: TestServer
let person: TestSession
let customer: string
beforeAll(async () => {
  server = await startTestServer({ env: { TAXES: 'stripe' } })
  await setUpTaxes(server)
})
afterAll(() => server.close())
beforeEach(async () => {
  person = await startSession(server)
  await person.call('PUT', '/api/billing/address', { body: { name: 'Bär GmbH', country: 'DE', postalCode: '10119' } })
  await add('DE123456789')
  await verify()
  const { rows } = await server.db.pool.query('select id from billing_customers where account_id = $1', [
    await accountOf(server, person),
  ])
  customer = rows[0].id
})

const add = (value: string) => person.call('POST', '/api/billing/tax-ids', { body: { type: 'eu_vat', value } })
/** The register answers. */
const verify = async () => {
  await server.stripeSandbox!.advance(60)
  await settleBilling(server)
}
const states = async () => {
  const { taxIds } = (await person.call('GET', '/api/billing/tax-details')).body.data.taxDetails
  return taxIds.map(({ value, state }: { value: string; state: string }) => `${value} ${state}`)
}
/** What the register says of the customer's number from now on, without an event. */
const changeAtProvider = (verification: object) =>
  server.db.pool.query(
    `update stripe_sandbox.objects set body = body || $2 where type = 'tax_id' and body ->> 'customer' = $1`,
    [customer, JSON.stringify({ verification })],
  )
const subjects = () => server.mailbox!.list(person.email).map(({ subject }) => subject)
const unverified = { status: 'unverified', verified_name: null, verified_address: null }

test('a number that the register does not know is shown so by its event, and the owner is asked once', async () => {
  expect(await states()).toEqual(['DE123456789 verified'])
  await add('DE111111111')
  await verify()
  expect((await states()).sort()).toEqual(['DE111111111 unverified', 'DE123456789 verified'])
  await reconcile(server.deps)
  await expect.poll(subjects).toContain('Your tax ID could not be verified')
  expect(subjects()).toHaveLength(1)
})

test('what the register says while the number is still being added is not overwritten', async () => {
  const told = tellBeforeAnswer(server, 'GET', /customers.cus_\w+\?/, async ({ stripeSandbox, deps }) => {
    await stripeSandbox!.advance(60)
    await findMissedEvents(deps)
  })
  expect((await add('FR12345678901')).status).toBe(201)
  expect(told()).toBe(true)
  await settleBilling(server)
  expect((await states()).sort()).toEqual(['DE123456789 verified', 'FR12345678901 verified'])
})

test('a number that was deleted at the provider is gone with its event', async () => {
  const [id] = (await server.deps.stripe!.client.customers.listTaxIds(customer)).data
  await server.deps.stripe!.client.customers.deleteTaxId(customer, id!.id)
  await settleBilling(server)
  expect(await states()).toEqual([])
})

test('what no event told is found by the nightly comparison, which says so', async () => {
  await changeAtProvider(unverified)
  const found = await reconcile(server.deps)
  expect(found.repaired).toEqual([
    `tax details of ${customer}: DE supported eu_vat verified -> DE supported eu_vat unverified`,
  ])
  expect(await states()).toEqual(['DE123456789 unverified'])
  await expect.poll(subjects).toEqual(['Your tax ID could not be verified'])
  expect((await reconcile(server.deps)).repaired).toEqual([])
})

test('address and number change on the page of the provider, too', async () => {
  const { url } = (await person.call('POST', '/api/billing/portal', { body: {} })).body.data
  const page = await (await fetch(url)).text()
  const token = /name="token" value="([^"]+)"/.exec(page)![1]!
  const send = (fields: Record<string, string>) =>
    fetch(url, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ token, action: 'details', ...fields }),
    })
  expect(page).toContain('<li>DE123456789 <span class="badge">verified</span></li>')
  const paris = { country: 'FR', line1: '1 rue de Rivoli', postal_code: '75001', city: 'Paris' }
  const saved = await send({ business_name: 'Étoile SARL', ...paris, tax_id_type: 'eu_vat', tax_id: 'FR12345678901' })
  expect(saved.status).toBe(303)
  await verify()
  expect((await person.call('GET', '/api/billing/tax-details')).body.data.taxDetails).toMatchObject({
    name: 'Étoile SARL',
    address: { country: 'FR', line1: '1 rue de Rivoli', city: 'Paris', postalCode: '75001' },
    located: true,
  })
  expect(await states()).toContain('FR12345678901 verified')
  const refused = await send({ business_name: 'Étoile SARL', ...paris, tax_id_type: 'eu_vat', tax_id: 'FR1' })
  expect([refused.status, await refused.text()]).toEqual([200, expect.stringContaining('Invalid value for eu_vat.')])
  await settleBilling(server)
  expect(await states()).toContain('FR12345678901 verified')
})
