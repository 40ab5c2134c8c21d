import { type Customer, type Fields, type Price, publicBody } from '../objects/bodies.ts'
import { currencyOptions } from '../objects/catalog.ts'
import type { Session } from '../objects/session.ts'
import { customerTax } from '../tax/location.ts'
import { customerTaxIds } from '../tax/tax-ids.ts'
import { schemas } from './contract.ts'
import { invalid } from './errors.ts'

/** Fields that are sent only when a request asks for them. */
const onDemand: Record<string, (tx: Session, body: Fields) => Promise<unknown> | unknown> = {
  'invoice.payments': async (tx, { id }) => {
    const data = (await tx.find('invoice_payment', { invoice: id })).reverse()
    return { object: 'list', data, has_more: false, url: '/v1/invoice_payments' }
  },
  'customer.tax': (tx, body) => customerTax(tx, body as unknown as Customer),
  'customer.tax_ids': async (tx, { id }) => {
    const data = await customerTaxIds(tx, String(id))
    return { object: 'list', data, has_more: false, url: `/v1/customers/${id}/tax_ids` }
  },
  'price.currency_options': (_tx, body) => currencyOptions(body as unknown as Price),
}

/** Replaces references with their objects along each path (`latest_invoice.payments`) in the body to send. */
export async function expand(tx: Session, body: unknown, paths: string[]): Promise<unknown> {
  const kept = JSON.parse(JSON.stringify(body))
  for (const path of paths) {
    if (path.split('.').length > 4) {
      throw invalid(`You cannot expand more than 4 levels of a property: ${path}`, { param: 'expand' })
    }
    await walk(tx, kept, path.split('.'), path)
  }
  return publicBody(kept)
}

async function walk(tx: Session, node: unknown, [head, ...rest]: string[], path: string): Promise<void> {
  if (head === undefined || node === null || typeof node !== 'object') return
  if (Array.isArray(node)) {
    for (const item of node) await walk(tx, item, [head, ...rest], path)
    return
  }
  const fields = node as Fields
  const asked = onDemand[`${fields.object}.${head}`]
  if (asked) fields[head] ??= await asked(tx, fields)
  const value = fields[head]
  if (value === undefined) {
    const named = typeof fields.object === 'string' && !schemas[fields.object]?.properties?.[head]
    if (named) throw notExpandable(head)
    return
  }
  if (typeof value === 'string') {
    const object = await tx.maybe(value)
    if (!object) throw notExpandable(head)
    fields[head] = object
  }
  if (Array.isArray(value))
    fields[head] = await Promise.all(
      value.map(async (one) => (typeof one === 'string' ? ((await tx.maybe(one)) ?? one) : one)),
    )
  await walk(tx, fields[head], rest, path)
}

function notExpandable(name: string): Error {
  const hint = `You may want to try expanding 'data.${name}' instead.`
  return invalid(`This property cannot be expanded (${name}). ${hint}`, { param: 'expand' })
}
