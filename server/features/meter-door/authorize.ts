import type { z } from 'zod'
import type { authorizeRequest } from '#contract/meter-door.ts'
import type { CallRecord } from '../../http/call-record.ts'
import { AppError } from '../../http/errors.ts'
import { callsOf } from '../keys/credentials.ts'
import { admitDoorCall } from './charge-door-call.ts'
import { counted } from './counted.ts'
import type { DoorDeps } from './door-deps.ts'
import { doorKey } from './door-key.ts'
import { creditsOf, unitPrice } from './door-price.ts'
import { findOperation } from './find-operation.ts'
import { type Held, holdCall, usualTerms } from './hold-call.ts'
import { verifyCustomer } from './verify-customer.ts'
import type { ServiceKey } from './verify-service-key.ts'

/**
 * Verifies a customer's key, admits a call and reserves the most that it may cost. Throws key_invalid, insufficient_credits,
 * key_budget_exceeded, forbidden, not_entitled, account_suspended, rate_limited, unknown_tool, invalid_parameter, metering_unavailable.
 */
export async function authorize(
  deps: DoorDeps,
  serviceKey: ServiceKey,
  body: z.output<typeof authorizeRequest>,
  record: CallRecord,
): Promise<Held> {
  const entry = findOperation(deps.tools.current(), serviceKey, body.operation)
  const most = creditsOf(unitPrice(entry.tool.credits), body, entry.holds ?? entry.leastCredits)
  if (body.unsettled === 'charge' && body.idempotency_key !== undefined)
    throw new AppError(
      'invalid_parameter',
      'unsettled: a hold that is charged at its end cannot have an idempotency_key: each attempt would be charged.',
      { param: 'unsettled' },
    )
  record.call(entry.tool.name)
  const presented = { apiKeyHeader: body.key, urlKey: undefined, authorization: undefined, client: body.client ?? '' }
  const caller = await verifyCustomer(deps, body.address ? { ...presented, address: body.address } : presented)
  record.verified(caller)
  return counted(deps, caller, record, async () => {
    const leave = deps.limits.enter('metered', callsOf(caller))
    try {
      const usual = usualTerms(entry)
      const seconds = body.hold_seconds ?? usual.seconds
      const unsettled = body.unsettled ?? usual.unsettled
      // Where the operation says so, the key does not count, for the reason above.
      const counts = unsettled === 'release' && body.idempotency_key !== undefined
      const idempotencyKey = counts ? doorKey(serviceKey, body.idempotency_key!) : undefined
      const limits = await admitDoorCall(deps, caller, entry, most, idempotencyKey)
      return await holdCall(deps, { serviceKey, caller, entry, most, seconds, unsettled, idempotencyKey }, limits)
    } finally {
      leave()
    }
  })
}
