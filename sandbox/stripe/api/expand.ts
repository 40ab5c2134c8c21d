import type { Body, Fields } from '../objects/bodies.ts'
import { publicBody } from '../objects/bodies.ts'
import type { Session } from '../objects/session.ts'
import { schemas } from './contract.ts'
import { invalid } from './errors.ts'

type Include = (tx: Session, body: Body) => Promise<unknown>

const listed = (type: string, field: string, url: string): Include => {
  return async (tx, body) => {
    const data = (await tx.find(type, { [field]: body.id })).reverse()
    return { object: 'list', data, has_more: false, url }
  }
}

/** Fields that are sent only when a request asks for them. */
const includes: Record<string, Include> = {
  'invoice.payments': listed('invoice_payment', 'invoice', '/v1/invoice_payments'),
  'customer.subscriptions': listed('subscription', 'customer', '/v1/subscriptions'),
  'charge.refunds': listed('refund', 'charge', '/v1/refunds'),
  'invoice.confirmation_secret': async (tx, body) => {
    const payment = body._payment ? await tx.maybe(String(body._payment)) : null
    return payment && { client_secret: payment.client_secret, type: 'payment_intent' }
  },
  'checkout.session.line_items': async (_tx, body) => ({
    object: 'list',
    data: body._lines ?? [],
    has_more: false,
    url: `/v1/checkout/sessions/${body.id}/line_items`,
  }),
}

/** Replaces references by their objects along each path (`latest_invoice.payments`), on the body as it will be sent. */
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
  const include = includes[`${fields.object}.${head}`]
  if (include && fields[head] === undefined) fields[head] = await include(tx, node as Body)
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
  await walk(tx, fields[head], rest, path)
}

function notExpandable(name: string): Error {
  const hint = `You may want to try expanding 'data.${name}' instead.`
  return invalid(`This property cannot be expanded (${name}). ${hint}`, { param: 'expand' })
}
