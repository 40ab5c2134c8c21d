import { z } from 'zod'
import { setting } from './setting.ts'

/** What operators may do in the console. */
export const operatorSettings = {
  OPERATOR_DAILY_CREDITS: setting(
    z.coerce.number().int().min(0).default(100_000),
    'Credits that an operator with the role support or finance may grant or take back in a day (UTC). Owners have no limit.',
    'a whole number',
  ),
  OPERATOR_DAILY_REFUND_CENTS: setting(
    z.coerce.number().int().min(0).default(50_000),
    'Minor units, such as cents, that an operator with the role finance may refund in a day (UTC), in each currency. Owners have no limit.',
    'a whole number',
  ),
  UPSTREAM_VARIABLES: setting(
    z
      .string()
      .default('')
      .transform((text) => text.split(/[\s,]+/).filter((name) => name !== ''))
      .pipe(z.array(z.string().regex(/^[A-Z][A-Z0-9_]*$/))),
    'Environment variables that upstreams added in the console may use as credentials. Others are sent only by what the command line published. Without them, the console uses its own secret store.',
    'names of variables, separated by commas',
    'ACME_KEY,OTHER_KEY',
  ),
}
