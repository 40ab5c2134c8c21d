import type { Config } from '../../config/config.ts'
import { AppError } from '../../http/errors.ts'

type Denied = Pick<Config, 'AGENT_DENIED_PAYERS' | 'AGENT_DENIED_COUNTRIES'>

const listed = (list: string | undefined, item: string): boolean =>
  list?.split(',').some((one) => one.trim().toLowerCase() === item.toLowerCase()) ?? false

/** Throws forbidden for a payer, or a country, from which the operator takes no payments. */
export function requireAllowed(config: Denied, payer: string, country: string | undefined): void {
  if (listed(config.AGENT_DENIED_PAYERS, payer))
    throw new AppError('forbidden', 'This server takes no payments from this payer. Nothing was charged.')
  if (country !== undefined && listed(config.AGENT_DENIED_COUNTRIES, country))
    throw new AppError('forbidden', 'This server takes no payments from this country. Nothing was charged.')
}
