import type { VerifiedKey } from '../keys/verify.ts'
import type { RateLimitState } from '../metering/meter.ts'
import type { RegisteredTool } from '../tools/register-tool.ts'
import { holdDoorCall } from './charge-door-call.ts'
import type { DoorDeps } from './door-deps.ts'
import { unitPrice } from './door-price.ts'
import { writeHold } from './hold-token.ts'
import type { ServiceKey } from './verify-service-key.ts'

const USUAL_HOLD_SECONDS = 300

/** How a hold of an operation ends without a settlement, unless its request says otherwise. */
export const usualTerms = ({ tool }: RegisteredTool): Pick<HoldRequest, 'seconds' | 'unsettled'> => ({
  seconds: tool.holdSeconds ?? USUAL_HOLD_SECONDS,
  unsettled: tool.unsettled ?? 'release',
})

export interface HoldRequest {
  serviceKey: ServiceKey
  caller: VerifiedKey
  entry: RegisteredTool
  /** Credits. */
  most: number
  seconds: number
  unsettled: 'release' | 'charge'
  /** Made by `doorKey`. */
  idempotencyKey?: string | undefined
}

export interface Held {
  /** For the settlement. */
  hold: string
  account: string
  creditsHeld: number
  /** Credits left beside the hold. Null: the plan has no count, or nothing had to be held. */
  remaining: number | null
  unlimited: boolean
  limits: RateLimitState | null
  expiresAt: Date
}

/** Sets credits aside for a call that was admitted. Throws the refusal of a call of that price. */
export async function holdCall(deps: DoorDeps, request: HoldRequest, limits: RateLimitState | null): Promise<Held> {
  const { serviceKey, caller, entry, most, seconds, unsettled, idempotencyKey } = request
  const authorizedAtMs = Date.now()
  const account = await deps.accountIds(caller.accountId)
  const held = await holdDoorCall(deps, caller, {
    most,
    seconds,
    onExpiry: unsettled,
    toolId: entry.id,
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  })
  const holdId = held?.id ?? NO_HOLD
  const hold = writeHold(deps.secrets, {
    holdId,
    accountId: caller.accountId,
    bucket: caller.bucket,
    keyId: caller.keyId,
    toolId: entry.id,
    serviceKeyId: serviceKey.id,
    price: unitPrice(entry.tool.credits),
    most,
    idempotencyKey: idempotencyKey ?? null,
    authorizedAtMs,
  })
  return {
    hold,
    account,
    creditsHeld: most,
    remaining: held === null || held.unlimited ? null : held.creditsRemaining,
    unlimited: held?.unlimited ?? false,
    limits,
    expiresAt: new Date(authorizedAtMs + seconds * 1000),
  }
}

/** The call was charged before, so nothing needs to be held for its repeat. */
const NO_HOLD = '00000000-0000-0000-0000-000000000000'
