import { createHash } from 'node:crypto'
import type { z } from 'zod'
import type { settleAnswer, settleRequest } from '#contract/meter-door.ts'
import type { CallRecord } from '../../http/call-record.ts'
import { chargeDoorCall } from './charge-door-call.ts'
import type { DoorDeps } from './door-deps.ts'
import { creditsOf } from './door-price.ts'
import { ownHold } from './own-hold.ts'
import type { ServiceKey } from './verify-service-key.ts'

/**
 * Charges what a call came to, and returns the rest of its hold; durable when this resolves. The first settlement of a
 * hold counts: later ones charge nothing and name its receipt. Throws not_found for a hold of another service key, hold_ended
 * for one of long ago, invalid_parameter for more than was held, idempotency_mismatch, metering_unavailable, and refusals of
 * the customer since.
 */
export async function settle(
  deps: DoorDeps,
  serviceKey: ServiceKey,
  { hold, units, credits: given, status }: z.output<typeof settleRequest>,
  record: CallRecord,
): Promise<z.output<typeof settleAnswer>> {
  const call = ownHold(deps, serviceKey, hold)
  const { accountId, bucket, keyId, toolId, holdId, most, idempotencyKey, authorizedAtMs } = call
  const credits = status === 'failed' ? 0 : creditsOf(call.price, { units, credits: given }, most, most)
  record.call(deps.tools.current().nameOf(toolId) ?? 'unknown')
  record.verified(call)
  const durationMs = Math.max(0, Date.now() - authorizedAtMs)
  // What the caller calls the same call may come to another amount the second time.
  const requestHash = createHash('sha256')
    .update(JSON.stringify([toolId, most]))
    .digest('hex')
  const idempotency = idempotencyKey === null ? undefined : { key: idempotencyKey, requestHash }
  const settled = { accountId, bucket, keyId, toolId, credits, units, status, durationMs, holdId }
  const outcome = await chargeDoorCall(deps, { ...settled, ...(idempotency && { idempotency }) })
  const { kind, receiptId, creditsCharged, creditsRemaining, unlimited } = outcome
  record.receiptId = receiptId
  record.result = status === 'failed' ? 'failed' : kind === 'replayed' ? 'replayed' : 'success'
  return {
    receipt: receiptId,
    credits_charged: creditsCharged,
    remaining: unlimited ? null : creditsRemaining,
    replayed: kind === 'replayed',
  }
}
