import type { SubscriptionAnswer } from '../plans/queries.ts'
import type { Spendable } from './queries.ts'

/** Whether an account has neither a plan nor anything to spend: calls that cost something would be refused. */
export const isNewAccount = ({ subscription }: SubscriptionAnswer, credits: Spendable): boolean =>
  subscription === null && !credits.unlimited && !credits.payAsYouGoEnabled && credits.remaining <= 0
