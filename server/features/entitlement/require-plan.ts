import { AppError } from '../../http/errors.ts'
import type { PlansOfAccount } from './plans-of-account.ts'

/** Throws not_entitled for an account without one of `plans`, named or by price id. */
export async function requirePlan(plansOf: PlansOfAccount, plans: readonly string[], accountId: number): Promise<void> {
  const own = await plansOf(accountId)
  if (!plans.some((plan) => own.has(plan) || own.has(plan.toLowerCase())))
    throw new AppError('not_entitled', `This operation is part of the plans: ${plans.join(', ')}.`)
}
