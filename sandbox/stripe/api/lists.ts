import type { Body, Fields } from '../objects/bodies.ts'
import type { Session } from '../objects/session.ts'
import type { Operation } from './contract.ts'
import { invalid } from './errors.ts'

export interface Page {
  object: 'list'
  url: string
  has_more: boolean
  data: Body[]
}

const paging = new Set(['limit', 'starting_after', 'ending_before', 'expand'])
const ranges: Record<string, string> = { gt: '>', gte: '>=', lt: '<', lte: '<=' }

/** Serves any plain list, newest first, with cursors by id. Most filters are equality; the others are matched by name. */
export async function listObjects(tx: Session, operation: Operation, params: Fields): Promise<Page> {
  const where = ['type = $1', 'not deleted']
  const values: unknown[] = [operation.resource]
  const bind = (value: unknown) => `$${values.push(value)}`
  for (const [name, value] of Object.entries(params)) {
    if (!paging.has(name)) where.push(...filter(operation.resource, name, value, bind))
  }
  if (operation.resource === 'subscription' && !params.status) where.push(`body ->> 'status' <> 'canceled'`)
  const limit = readLimit(params)
  const backwards = typeof params.ending_before === 'string'
  for (const [cursor, sign] of [
    ['starting_after', '<'],
    ['ending_before', '>'],
  ] as const) {
    if (!params[cursor]) continue
    await tx.get(operation.resource, String(params[cursor]), cursor)
    where.push(`seq ${sign} (select seq from stripe_sandbox.objects where id = ${bind(params[cursor])})`)
  }
  const order = backwards ? 'asc' : 'desc'
  const sql = `select body from stripe_sandbox.objects where ${where.join(' and ')} order by seq ${order} limit ${limit + 1}`
  const found = (await tx.client.query<{ body: Body }>(sql, values)).rows.map((row) => row.body)
  const data = found.slice(0, limit)
  return {
    object: 'list',
    url: operation.path,
    has_more: found.length > limit,
    data: backwards ? data.reverse() : data,
  }
}

function filter(resource: string, name: string, value: unknown, bind: (value: unknown) => string): string[] {
  if (name === 'created') {
    const range: Fields = typeof value === 'number' ? { gte: value, lte: value } : (value as Fields)
    return Object.entries(range).map(([sign, bound]) => `created ${ranges[sign]} ${bind(bound)}`)
  }
  if (name === 'ids') return [`id = any(${bind(value)})`]
  if (name === 'lookup_keys') return [`body ->> 'lookup_key' = any(${bind(value)})`]
  if (name === 'types') return [`body ->> 'type' = any(${bind(value)})`]
  if (resource === 'event' && name === 'type') return [`body ->> 'type' like ${bind(String(value).replace('*', '%'))}`]
  if (resource === 'event' && name === 'delivery_success') {
    const open =
      "exists (select 1 from stripe_sandbox.deliveries d where d.event = objects.id and d.state <> 'delivered')"
    return [value ? `not ${open}` : open]
  }
  if (resource === 'subscription' && name === 'status') {
    if (value === 'all') return []
    if (value === 'ended') return [`body ->> 'status' in ('canceled', 'incomplete_expired')`]
  }
  if (resource === 'subscription' && name === 'price')
    return contains({ items: { data: [{ price: { id: value } }] } }, bind)
  if (resource === 'invoice' && name === 'subscription') {
    return contains({ parent: { subscription_details: { subscription: value } } }, bind)
  }
  if (resource === 'invoiceitem' && name === 'pending') return [`(body ->> 'invoice' is null) = ${bind(value)}`]
  if (typeof value === 'object' && name.match(/^(due_date|current_period_\w+|.*_at|scheduled)$/)) {
    throw invalid(`The sandbox does not filter by ${name}`, { param: name })
  }
  return contains({ [name]: value }, bind)
}

function contains(fields: Fields, bind: (value: unknown) => string): string[] {
  return [`body @> ${bind(JSON.stringify(fields))}`]
}

/** Page size within Stripe's bounds. */
function readLimit(params: Fields): number {
  const limit = Number(params.limit ?? 10)
  if (limit >= 1 && limit <= 100) return limit
  throw invalid('This value must be between 1 and 100', { code: 'parameter_invalid_integer', param: 'limit' })
}

/** A page of a list inside another object, in the list's order. */
export function pageOf(all: Body[], params: Fields, url: string): Page {
  const limit = readLimit(params)
  const position = (cursor: unknown) => all.findIndex((item) => item.id === cursor)
  const end = params.ending_before ? Math.max(0, position(params.ending_before)) : all.length
  const start = params.ending_before ? Math.max(0, end - limit) : position(params.starting_after) + 1
  const data = all.slice(start, Math.min(end, start + limit))
  return { object: 'list', url, has_more: params.ending_before ? start > 0 : start + limit < all.length, data }
}
