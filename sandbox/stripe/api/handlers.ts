import { checkoutHandlers } from '../billing/checkout.ts'
import { creditNoteHandlers } from '../billing/credit-notes.ts'
import { clockHandlers } from '../billing/due.ts'
import { invoiceHandlers } from '../billing/invoice-handlers.ts'
import { meterHandlers } from '../billing/meters.ts'
import { portalHandlers } from '../billing/portal.ts'
import { scheduleHandlers } from '../billing/schedules.ts'
import { subscriptionHandlers } from '../billing/subscription-handlers.ts'
import type { Handler } from '../objects/assign.ts'
import type { Fields } from '../objects/bodies.ts'
import { catalogHandlers } from '../objects/catalog.ts'
import { customerHandlers } from '../objects/customers.ts'
import { refundHandlers } from '../objects/refunds.ts'
import type { Session } from '../objects/session.ts'
import { taxRateHandlers } from '../tax/rates.ts'
import { taxSettingsHandlers } from '../tax/settings.ts'
import { taxIdHandlers } from '../tax/tax-ids.ts'
import type { Operation } from './contract.ts'
import { listObjects } from './lists.ts'

const handlers: Record<string, Handler> = {
  ...catalogHandlers,
  ...customerHandlers,
  ...refundHandlers,
  ...invoiceHandlers,
  ...creditNoteHandlers,
  ...subscriptionHandlers,
  ...scheduleHandlers,
  ...meterHandlers,
  ...checkoutHandlers,
  ...portalHandlers,
  ...clockHandlers,
  ...taxIdHandlers,
  ...taxRateHandlers,
  ...taxSettingsHandlers,
}

/** Serves one operation with its handler, or as the plain list or read that the contract describes. */
export async function serve(
  tx: Session,
  operation: Operation,
  params: Fields,
  [id = '', owner]: string[],
): Promise<unknown> {
  const handler = handlers[`${operation.method} ${operation.path}`]
  if (handler) return asList(await handler(tx, params as never, id, owner), operation, id)
  if (operation.method !== 'GET') throw new Error(`The sandbox does not serve ${operation.method} ${operation.path}`)
  return operation.list ? listObjects(tx, operation, params) : tx.get(operation.resource, id)
}

function asList(answer: unknown, operation: Operation, id: string): unknown {
  return Array.isArray(answer)
    ? { object: 'list', url: operation.path.replace('{id}', id), has_more: false, data: answer }
    : answer
}
