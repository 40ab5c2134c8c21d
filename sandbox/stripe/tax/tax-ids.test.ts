import type Stripe from 'stripe'
import { describe, expect, it } from 'vitest'
import { customerWith } from '../testing/harness.ts'
import { bench, shareBench, stripe } from '../testing/shared-bench.ts'
import { addresses } from '../testing/taxed.ts'

shareBench()

const made = (value: string, type: Stripe.CustomerCreateTaxIdParams.Type = 'eu_vat') => ({ type, value })
const statusOf = (id: Stripe.TaxId) => id.verification?.status

describe("a customer's tax id", () => {
  it.each([
    ['DE000000000', 'verified'],
    ['000000000', 'verified'],
    ['DE123456789', 'verified'],
    ['DE111111111', 'unverified'],
    ['DE222222222', 'pending'],
    ['DE333333333', 'unavailable'],
  ])('%s waits for its register, and ends as %s', async (value, status) => {
    const customer = await customerWith(stripe, null, { address: addresses.DE })
    const id = await stripe.customers.createTaxId(customer.id, made(value))
    expect([statusOf(id), id.customer, id.owner?.type]).toEqual(['pending', customer.id, 'customer'])
    await bench.sandbox.runDue()
    const after = await stripe.customers.retrieveTaxId(customer.id, id.id)
    expect([statusOf(after), after.verification?.verified_name]).toEqual([status, status === 'verified' ? 'Ada' : null])
    await bench.sandbox.flush()
    expect(bench.types().filter((type) => type.startsWith('customer.tax_id'))).toEqual(
      ['customer.tax_id.created', 'customer.tax_id.updated'].slice(0, status === 'pending' ? 1 : 2),
    )
  })

  it.each([
    ['eu_vat', 'DE12345678'],
    ['eu_vat', 'XX123456789'],
    ['eu_vat', 'FR123'],
    ['gb_vat', '123456789'],
    ['ch_vat', 'CHE-123.456.789'],
    ['us_ein', '123456789'],
  ] as const)('%s %s has the wrong form', async (type, value) => {
    const customer = await customerWith(stripe, null)
    const refused = { statusCode: 400, code: 'tax_id_invalid', message: `Invalid value for ${type}.` }
    await expect(stripe.customers.createTaxId(customer.id, made(value, type))).rejects.toMatchObject(refused)
    await expect(
      stripe.customers.create({ name: 'Half', email: `${value}@example.test`, tax_id_data: [made(value, type)] }),
    ).rejects.toMatchObject(refused)
    expect((await stripe.customers.list({ email: `${value}@example.test` })).data).toEqual([])
  })

  it('is sent with the customer when asked for, listed and deleted', async () => {
    const customer = await stripe.customers.create({
      name: 'Ada',
      tax_id_data: [made('DE123456789'), made('CHE-123.456.789 MWST', 'ch_vat')],
      expand: ['tax_ids', 'tax'],
    })
    expect(customer.tax_ids?.data.map((id) => [id.value, id.country, statusOf(id)])).toEqual([
      ['CHE-123.456.789 MWST', 'CH', 'unavailable'],
      ['DE123456789', 'DE', 'pending'],
    ])
    expect(customer.tax).toMatchObject({ automatic_tax: 'unrecognized_location', location: null })
    expect(await stripe.customers.retrieve(customer.id)).not.toHaveProperty('tax_ids')
    const [newest, oldest] = (await stripe.customers.listTaxIds(customer.id)).data as [Stripe.TaxId, Stripe.TaxId]
    const page = await stripe.customers.listTaxIds(customer.id, { limit: 1 })
    expect([page.has_more, page.data[0]?.id]).toEqual([true, newest.id])
    const owner = { type: 'customer', customer: customer.id } as const
    expect((await stripe.taxIds.list({ owner })).data).toHaveLength(2)
    expect(await stripe.customers.deleteTaxId(customer.id, newest.id)).toMatchObject({ deleted: true })
    expect(await stripe.taxIds.del(oldest.id)).toMatchObject({ deleted: true })
    expect((await stripe.customers.listTaxIds(customer.id)).data).toEqual([])
    await bench.sandbox.flush()
    expect(bench.types().filter((type) => type === 'customer.tax_id.deleted')).toHaveLength(2)
  })

  it('of another customer looks like one that is missing, and there are five at most', async () => {
    const [ada, eve] = [await customerWith(stripe, null), await customerWith(stripe, null)]
    const id = await stripe.customers.createTaxId(ada.id, made('DE123456789'))
    const missing = { statusCode: 404, code: 'resource_missing', message: `No such tax_id: '${id.id}'` }
    await expect(stripe.customers.retrieveTaxId(eve.id, id.id)).rejects.toMatchObject(missing)
    await expect(stripe.customers.deleteTaxId(eve.id, id.id)).rejects.toMatchObject(missing)
    await expect(stripe.customers.createTaxId('cus_none', made('DE123456789'))).rejects.toMatchObject({
      statusCode: 404,
    })
    for (let more = 0; more < 4; more++) await stripe.customers.createTaxId(ada.id, made(`DE12345678${more}`))
    await expect(stripe.customers.createTaxId(ada.id, made('DE123456788'))).rejects.toMatchObject({ statusCode: 400 })
  })

  it('of the account is kept apart, without a check', async () => {
    const own = await stripe.taxIds.create({ ...made('DE123456789'), owner: { type: 'self' } })
    expect((await stripe.taxIds.list()).data.map(({ id }) => id)).toEqual([own.id])
    expect(await stripe.taxIds.retrieve(own.id)).toMatchObject({ value: 'DE123456789', verification: null })
  })
})

describe("a customer's place", () => {
  it('is checked at once when asked, and a bad shipping address is no place', async () => {
    const tax = { validate_location: 'immediately' as const }
    const lost = { statusCode: 400, code: 'customer_tax_location_invalid' }
    await expect(stripe.customers.create({ address: { country: 'US' }, tax })).rejects.toMatchObject(lost)
    const customer = await stripe.customers.create({
      address: { country: 'US', postal_code: '94105' },
      tax,
      expand: ['tax'],
    })
    expect(customer.tax?.location).toEqual({ country: 'US', state: 'CA', source: 'billing_address' })
    const named = { address: { country: 'us', state: 'California' }, expand: ['tax'] }
    expect((await stripe.customers.update(customer.id, named)).tax?.location).toMatchObject({
      country: 'US',
      state: 'CA',
    })
    await expect(stripe.customers.update(customer.id, { address: '', tax })).rejects.toMatchObject(lost)
    const shipping = { name: 'Ada', address: { country: 'ZZ' } }
    const moved = await stripe.customers.update(customer.id, { shipping, expand: ['tax'] })
    expect(moved.tax).toMatchObject({ automatic_tax: 'unrecognized_location', location: null })
  })
})
