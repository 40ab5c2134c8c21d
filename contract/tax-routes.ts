import { z } from 'zod'
import { route } from './route.ts'
import { hasTaxIdForm, normalTaxId, taxIdKinds } from './tax-ids.ts'

const text = (most: number) => z.string('must be a text').trim().max(most, `must have at most ${most} characters`)
const optional = (most: number) =>
  text(most)
    .nullable()
    .default(null)
    .transform((value) => value || null)

const address = z.object({
  /** ISO code of two letters. */
  country: z.string(),
  line1: z.string().nullable(),
  line2: z.string().nullable(),
  city: z.string().nullable(),
  postalCode: z.string().nullable(),
  state: z.string().nullable(),
})

/** What the taxes of a workspace depend on. */
export const taxDetails = z.object({
  /** Who computes taxes: nobody, Stripe Tax, or the operator's own rates. */
  taxes: z.enum(['off', 'stripe', 'rates']),
  /** Of the person or company that is invoiced. */
  name: z.string().nullable(),
  address: address.nullable(),
  /** Whether the tax can be computed for this address. */
  located: z.boolean(),
  taxIds: z.array(
    z.object({
      id: z.string(),
      /** The payment provider's name of its kind, such as eu_vat. */
      type: z.string(),
      value: z.string(),
      /** unavailable: the register of that country does not answer, or nobody verifies its numbers. */
      state: z.enum(['pending', 'verified', 'unverified', 'unavailable']),
    }),
  ),
})
export type TaxDetails = z.infer<typeof taxDetails>

export const billingAddress = z.strictObject({
  name: text(150).min(1, 'is required: the person or company that is invoiced'),
  country: z
    .string('is required: the code of the country, such as DE')
    .regex(/^[A-Z]{2}$/, 'must be the code of a country, such as DE'),
  line1: optional(200),
  line2: optional(200),
  city: optional(100),
  postalCode: optional(20),
  state: optional(100),
})

export const newTaxId = z
  .strictObject({
    type: z.string('is required').refine((type) => Object.hasOwn(taxIdKinds, type), {
      message: `must be one of ${Object.keys(taxIdKinds).join(', ')}`,
      abort: true,
    }),
    value: text(60).min(1, 'is required'),
  })
  .check((given) => {
    const { type, value } = given.value
    if (!hasTaxIdForm(type, value))
      given.issues.push({
        code: 'custom',
        path: ['value'],
        input: value,
        message: `is not a tax ID of this kind: it looks like ${taxIdKinds[type]?.example}`,
      })
  })
  .transform(({ type, value }) => ({ type, value: normalTaxId(type, value) }))

const details = z.object({ taxDetails })

/** Billing address and tax IDs of a workspace. */
export const taxRoutes = {
  getTaxDetails: route({
    method: 'GET',
    path: '/api/billing/tax-details',
    auth: 'session',
    summary: 'The billing address and the tax IDs',
    status: 200,
    data: details,
    errors: [],
  }),
  setBillingAddress: route({
    method: 'PUT',
    path: '/api/billing/address',
    auth: 'session',
    summary: 'Sets the billing address',
    body: billingAddress,
    status: 200,
    data: details,
    errors: ['invalid_parameter', 'forbidden', 'account_suspended', 'conflict', 'billing_unavailable'],
  }),
  addTaxId: route({
    method: 'POST',
    path: '/api/billing/tax-ids',
    auth: 'session',
    summary: 'Adds a tax ID',
    body: newTaxId,
    status: 201,
    data: details,
    errors: ['invalid_parameter', 'forbidden', 'account_suspended', 'conflict', 'billing_unavailable'],
  }),
  removeTaxId: route({
    method: 'DELETE',
    path: '/api/billing/tax-ids/{id}',
    auth: 'session',
    summary: 'Removes a tax ID',
    params: z.object({ id: z.string() }),
    status: 200,
    data: details,
    errors: ['forbidden', 'account_suspended', 'not_found', 'conflict', 'billing_unavailable'],
  }),
}
