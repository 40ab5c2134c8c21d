import type { Deps } from '../../deps.ts'
import { AppError } from '../../http/errors.ts'
import type { CommitOutcome } from '../metering/meter.ts'
import { suspendedError } from '../shop/suspended-error.ts'

type Refused = Extract<CommitOutcome, { kind: 'refused' }>

/** The error for a call that the meter refused, with the next step. `credits` is the call's price. */
export function refusal(
  { config, shop }: Pick<Deps, 'config' | 'shop'>,
  { code, creditsRemaining }: Refused,
  credits: number,
): AppError {
  const help = `${config.PUBLIC_URL}/dashboard/billing/`
  const cost = credits === 1 ? '1 credit' : `${credits} credits`
  if (code === 'insufficient_credits') {
    return new AppError(
      code,
      `This call costs ${cost} and ${creditsRemaining} are left. Nothing was charged. Add credits or change the plan: ${help}`,
      { help, creditsRemaining },
    )
  }
  if (code === 'key_budget_exceeded') {
    const keys = `${config.PUBLIC_URL}/dashboard/api-keys/`
    return new AppError(
      code,
      `This call costs ${cost}, more than the budget of this API key has left. Nothing was charged. Raise the budget: ${keys}`,
      { help: keys },
    )
  }
  return code === 'account_suspended' ? suspendedError(shop.current()) : new AppError(code)
}
