import { AppError } from '../../http/errors.ts'
import type { PlansOfAccount } from './plans-of-account.ts'

/** Throws not_entitled for an account without one of the plans. */
export type RequirePlan = (accountId: number) => Promise<void> | void

/** The check of what only accounts with one of `plans`, named or by price id, may use; null: everybody may. */
export function requirePlan(plansOf: PlansOfAccount, plans: readonly string[]): RequirePlan | null {
  if (plans.length === 0) return null
  const check = (own: ReadonlySet<string>): void => {
    if (!plans.some((plan) => own.has(plan) || own.has(plan.toLowerCase())))
      throw new AppError('not_entitled', `This operation is part of the plans: ${plans.join(', ')}.`)
  }
  return (accountId) => {
    const own = plansOf(accountId)
    return own instanceof Promise ? own.then(check) : check(own)
  }
}
