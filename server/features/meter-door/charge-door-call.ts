import type { Deps } from '../../deps.ts'
import { AppError } from '../../http/errors.ts'
import { requirePlan } from '../entitlement/require-plan.ts'
import { charging } from '../metering/charging.ts'
import type { Caller, CommitOutcome, HoldTerms, MeteredCall, RateLimitState } from '../metering/meter.ts'
import { refusal } from '../tools/refusal.ts'
import type { RegisteredTool } from '../tools/register-tool.ts'

/**
 * The steps of tools/prepare.ts and tools/settle.ts for calls whose work is done elsewhere: behind a gateway, or in another
 * service. The only other file that may charge, because here nobody but the caller knows when the work begins and ends.
 */
type Needs = Pick<Deps, 'config' | 'shop' | 'meter'>
type Charged = Exclude<CommitOutcome, { kind: 'refused' }>

/** Rate limit, suspension, last known balance, plan. `credits`: the most that the call may cost. Throws the refusal of such a call. */
export async function admitDoorCall(
  { config, shop, meter, plansOf }: Pick<Deps, 'config' | 'shop' | 'meter' | 'plansOf'>,
  caller: Caller,
  { tool }: RegisteredTool,
  credits: number,
  idempotencyKey?: string,
): Promise<RateLimitState | null> {
  try {
    const limits = await meter[charging].admit(caller, credits, idempotencyKey)
    if (tool.plans?.length) await requirePlan(plansOf, tool.plans, caller.accountId)
    return limits
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'insufficient_credits') throw error
    throw refusal({ config, shop }, { kind: 'refused', code: error.code, creditsRemaining: 0 }, credits)
  }
}

/**
 * Sets credits aside until the call is settled. Returns the id of the hold, and the credits left beside it. Null:
 * the call was charged before under its idempotency key. Throws the refusal of a call of that price.
 */
export async function holdDoorCall(
  { config, shop, meter }: Needs,
  caller: Caller,
  terms: HoldTerms,
): Promise<{ id: string; creditsRemaining: number; unlimited: boolean } | null> {
  const outcome = await meter[charging].hold(caller, terms)
  if (outcome?.kind === 'refused') throw refusal({ config, shop }, outcome, terms.most)
  return outcome
}

/** Charges a call and settles its hold, durably when this resolves. Throws the refusal; then nothing was charged. */
export async function chargeDoorCall({ config, shop, meter }: Needs, call: MeteredCall): Promise<Charged> {
  const outcome = await meter[charging].commit(call)
  if (outcome.kind === 'refused') throw refusal({ config, shop }, outcome, call.credits)
  return outcome
}

/** Ends a hold without a charge. False: it had ended before. */
export const releaseDoorCall = (
  { meter }: Needs,
  caller: Pick<Caller, 'accountId' | 'bucket'>,
  holdId: string,
): Promise<boolean> => meter[charging].release(caller, holdId)
