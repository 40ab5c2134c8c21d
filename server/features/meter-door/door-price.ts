import { AppError } from '../../http/errors.ts'
import type { CreditRule } from '../tools/define-tool.ts'

/** A price as a settlement needs it: `credits` for each begun `per` units. */
export interface UnitPrice {
  credits: number
  per: number
}

/** The greatest price that the meter records. */
const MOST_CREDITS = 2_147_483_647

/** The price of an operation by unit. What it counts depends on its rule: calls, rows, reported units. */
export function unitPrice(rule: CreditRule): UnitPrice {
  const per = 'perRows' in rule ? rule.perRows : 'per' in rule && typeof rule.per === 'number' ? rule.per : 1
  return { credits: rule.credits, per }
}

/**
 * Credits that a call comes to by its units or, for services that know their own prices, as given. Without either, `otherwise`.
 * Throws invalid_parameter for both at once, and for more than `most`.
 */
export function creditsOf(
  price: UnitPrice,
  { units, credits }: { units?: number | undefined; credits?: number | undefined },
  otherwise: number,
  most = MOST_CREDITS,
): number {
  if (units !== undefined && credits !== undefined)
    throw new AppError('invalid_parameter', 'units: give units or credits, not both.', { param: 'units' })
  const total = credits ?? (units === undefined ? otherwise : price.credits * Math.ceil(units / price.per))
  if (total <= most) return total
  const param = credits === undefined ? 'units' : 'credits'
  throw new AppError('invalid_parameter', `${param}: this comes to ${total} credits, more than ${most}.`, { param })
}
