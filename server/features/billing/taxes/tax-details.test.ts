import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '#server/testing/harness.ts'
import { joinWorkspace, startSession, type TestSession } from '#server/testing/session.ts'
import { buyCredits, settleBilling } from '../testing/billing.ts'
import { berlin, setUpTaxes } from '../testing/set-up-taxes.ts'

let server: TestServer
let person: TestSession
beforeAll(async () => {
  server = await startTestServer({ env: { TAXES: 'stripe' } })
  await setUpTaxes(server)
})
afterAll(() => server.close())
beforeEach(async () => {
  person = await startSession(server)
})

const details = async (who = person) => (await who.call('GET', '/api/billing/tax-details')).body.data.taxDetails
const setAddress = (body: object, who = person) => who.call('PUT', '/api/billing/address', { body })
const addId = (body: object, who = person) => who.call('POST', '/api/billing/tax-ids', { body })
const german = { name: 'Bär GmbH', country: 'DE', line1: 'Torstr. 1', postalCode: '10119', city: 'Berlin' }

test('a new workspace has no address and no numbers; what is set is kept here and at the provider', async () => {
  expect(await details()).toEqual({ taxes: 'stripe', name: null, address: null, located: false, taxIds: [] })
  const answer = await setAddress(german)
  expect(answer.status).toBe(200)
  expect(answer.body.data.taxDetails).toMatchObject({ name: 'Bär GmbH', address: { country: 'DE' }, located: true })
  expect((await addId({ type: 'eu_vat', value: 'de 123 456 789' })).body.data.taxDetails.taxIds).toMatchObject([
    { type: 'eu_vat', value: 'DE123456789' },
  ])
  const { rows } = await server.db.pool.query('select id from billing_customers order by created_at desc limit 1')
  const found = await server.deps.stripe!.client.customers.retrieve(rows[0].id, { expand: ['tax_ids'] })
  expect(found).toMatchObject({
    name: 'Bär GmbH',
    address: { country: 'DE', postal_code: '10119' },
    tax_ids: { data: [{ value: 'DE123456789' }] },
  })
})

test.each([
  [{ ...german, country: undefined }, 'country: is required: the code of the country, such as DE'],
  [{ ...german, country: 'Germany' }, 'country: must be the code of a country, such as DE'],
  [{ ...german, name: ' ' }, 'name: is required: the person or company that is invoiced'],
  [{ ...german, line1: 'x'.repeat(201) }, 'line1: must have at most 200 characters'],
  [
    { name: 'Yank', country: 'US' },
    'address: the payment provider does not know this place. Check the country, postal code and state.',
  ],
])('refuses the address %j and keeps the one it has', async (body, text) => {
  await setAddress(german)
  const answer = await setAddress(body)
  expect([answer.status, answer.body.error]).toEqual([400, text])
  expect(await details()).toMatchObject({ name: 'Bär GmbH', address: { country: 'DE', line1: 'Torstr. 1' } })
})

test.each([
  [{ type: 'eu_vat', value: 'DE12345678' }, 'value: is not a tax ID of this kind: it looks like DE123456789'],
  [{ type: 'eu_vat', value: 'US123456789' }, 'value: is not a tax ID of this kind: it looks like DE123456789'],
  [{ type: 'gb_vat', value: 'DE123456789' }, 'value: is not a tax ID of this kind: it looks like GB123456789'],
  [{ type: 'eu_vat', value: '' }, 'value: is required'],
  ...['vat', '__proto__', 'constructor'].map(
    (type) =>
      [
        { type, value: 'DE123456789' },
        'type: must be one of eu_vat, gb_vat, ch_vat, no_vat, us_ein, ca_gst_hst, au_abn, in_gst, jp_trn',
      ] as const,
  ),
] as const)('refuses the number %j', async (body, text) => {
  const answer = await addId(body)
  expect([answer.status, answer.body.error]).toEqual([400, text])
  expect((await details()).taxIds).toEqual([])
})

test.each([
  ['eu_vat', 'FR 12 345678901', 'FR12345678901'],
  ['gb_vat', 'gb123456789', 'GB123456789'],
  ['ch_vat', 'CHE-123.456.789MWST', 'CHE-123.456.789 MWST'],
  ['us_ein', '12-3456789', '12-3456789'],
])('a number of the kind %s is taken as %s', async (type, value, kept) => {
  expect((await addId({ type, value })).body.data.taxDetails.taxIds).toMatchObject([{ type, value: kept }])
})

test('the same number twice, and a sixth one, are refused', async () => {
  for (const digit of [1, 2, 3, 4, 5]) await addId({ type: 'eu_vat', value: `DE12345678${digit}` })
  const again = await addId({ type: 'eu_vat', value: 'DE123456781' })
  expect([again.status, again.body.error]).toEqual([409, 'This tax ID was already added.'])
  const sixth = await addId({ type: 'eu_vat', value: 'DE123456786' })
  expect([sixth.status, sixth.body.error]).toEqual([409, 'A workspace has at most 5 tax IDs. Remove one first.'])
})

test("another workspace's number looks like one that does not exist", async () => {
  const other = await startSession(server)
  await addId({ type: 'eu_vat', value: 'DE123456789' })
  const [{ id }] = (await details()).taxIds
  for (const one of [id, 'txi_none'])
    expect((await other.call('DELETE', `/api/billing/tax-ids/${one}`)).body).toMatchObject({
      code: 'not_found',
      error: 'This tax ID does not exist.',
    })
  expect((await details()).taxIds).toHaveLength(1)
  expect((await person.call('DELETE', `/api/billing/tax-ids/${id}`)).body.data.taxDetails.taxIds).toEqual([])
})

test('members read but do not change; a suspended workspace changes nothing', async () => {
  const member = await startSession(server)
  const workspace = await joinWorkspace(server, person, member, 'member')
  const headers = { 'x-workspace-id': workspace }
  expect((await member.call('PUT', '/api/billing/address', { body: german, headers })).body.code).toBe('forbidden')
  expect((await member.call('GET', '/api/billing/tax-details', { headers })).status).toBe(200)
  await server.db.pool.query('update accounts set suspended_at = now() where personal_of = $1', [person.userId])
  expect((await setAddress(german)).body.code).toBe('account_suspended')
})

test('what the checkout page asks for arrives, and a page without an address keeps the buyer', async () => {
  const kept = buyCredits(server, person, 1, { buyer: { ...berlin, country: '' } })
  await expect(kept).rejects.toThrow('the checkout page kept the buyer')
  await buyCredits(server, person, 1, { buyer: { ...berlin, tax_id_type: 'eu_vat', tax_id: 'DE123456789' } })
  await settleBilling(server)
  expect(await details()).toMatchObject({
    name: 'Bär GmbH',
    address: { country: 'DE', line1: 'Torstr. 1', line2: null, city: 'Berlin', postalCode: '10119', state: null },
    located: true,
    taxIds: [{ value: 'DE123456789' }],
  })
})

test('while taxes are off, nothing is asked of the provider, and changes are refused', async () => {
  const off = await startTestServer()
  try {
    const someone = await startSession(off)
    expect(await details(someone)).toEqual({ taxes: 'off', name: null, address: null, located: true, taxIds: [] })
    for (const answer of [
      await setAddress(german, someone),
      await addId({ type: 'eu_vat', value: 'DE123456789' }, someone),
      await someone.call('DELETE', '/api/billing/tax-ids/txi_none'),
    ])
      expect(answer.body).toMatchObject({ code: 'conflict', error: 'No taxes are computed here.' })
  } finally {
    await off.close()
  }
})
