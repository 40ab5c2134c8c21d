import { z } from 'zod'
import { setting } from './setting.ts'

/** What operators below an owner may do in a day. */
export const operatorSettings = {
  OPERATOR_DAILY_CREDITS: setting(
    z.coerce.number().int().min(0).default(100_000),
    'Credits that an operator with the role support or finance may grant or take back in a day (UTC). Owners have no limit.',
    'a whole number',
  ),
  OPERATOR_DAILY_REFUND_CENTS: setting(
    z.coerce.number().int().min(0).default(50_000),
    'Cents that an operator with the role finance may refund in a day (UTC). Owners have no limit.',
    'a whole number',
  ),
}
