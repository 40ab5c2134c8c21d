import { createHash } from 'node:crypto'
import type { z } from 'zod'
import type { settleAnswer, settleRequest } from '#contract/meter-door.ts'
import type { CallRecord } from '../../http/call-record.ts'
import { AppError } from '../../http/errors.ts'
import { chargeDoorCall } from './charge-door-call.ts'
import type { DoorDeps } from './door-deps.ts'
import { creditsOf } from './door-price.ts'
import { ownHold } from './own-hold.ts'
import type { ServiceKey } from './verify-service-key.ts'

/**
 * Charges what a call came to, and returns the rest of its hold; durable when this resolves. The same settlement again is
 * answered from the first charge. Throws not_found for a hold of another service key, hold_ended for other units than before,
 * invalid_parameter for more than was held, metering_unavailable.
 */
export async function settle(
  deps: DoorDeps,
  serviceKey: ServiceKey,
  { hold, units, credits: given, status }: z.output<typeof settleRequest>,
  record: CallRecord,
): Promise<z.output<typeof settleAnswer>> {
  const call = ownHold(deps, serviceKey, hold)
  const { accountId, bucket, keyId, toolId, holdId, most, idempotencyKey, keyed, authorizedAtMs } = call
  const credits = status === 'failed' ? 0 : creditsOf(call.price, { units, credits: given }, most, most)
  record.call(deps.tools.nameOf(toolId) ?? 'unknown')
  record.verified(call)
  const durationMs = Math.max(0, Date.now() - authorizedAtMs)
  // What the caller calls the same call may come to another amount the second time.
  const request = JSON.stringify(keyed ? [toolId, most] : [holdId, credits])
  const idempotency = { key: idempotencyKey, requestHash: createHash('sha256').update(request).digest('hex') }
  const settled = { accountId, bucket, keyId, toolId, credits, status, durationMs, idempotency, holdId }
  const outcome = await chargeDoorCall(deps, settled).catch((error: unknown) => {
    // The caller sent no idempotency key, so it would not understand an error about one.
    if (error instanceof AppError && error.code === 'idempotency_mismatch' && !keyed) throw new AppError('hold_ended')
    throw error
  })
  const { kind, receiptId, creditsRemaining, unlimited } = outcome
  record.receiptId = receiptId
  record.result = status === 'failed' ? 'failed' : kind === 'replayed' ? 'replayed' : 'success'
  return {
    receipt: receiptId,
    credits_charged: unlimited || (keyed && kind === 'replayed') ? 0 : credits,
    remaining: unlimited ? null : creditsRemaining,
    replayed: kind === 'replayed',
  }
}
