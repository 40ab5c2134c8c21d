import type { TestServer } from '#server/testing/harness.ts'

/** Berlin: registered, 19 percent. The fields of the checkout page. */
export const berlin = {
  country: 'DE',
  line1: 'Torstr. 1',
  postal_code: '10119',
  city: 'Berlin',
  business_name: 'Bär GmbH',
}

/** The tax settings of a seller in Germany, with a registration at home. */
export async function setUpTaxes({ deps }: TestServer): Promise<void> {
  const { tax } = deps.stripe!.client
  await tax.settings.update({ head_office: { address: { country: 'DE', city: 'Hamburg', postal_code: '20095' } } })
  await tax.registrations.create({
    country: 'DE',
    country_options: { de: { type: 'standard' } },
    active_from: 'now',
  })
}
