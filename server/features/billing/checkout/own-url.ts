import type { Config } from '../../../config/config.ts'
import { AppError } from '../../../http/errors.ts'

/**
 * A return URL for a page at the payment provider. Only our own pages are allowed: anything else would be an open
 * redirect. Throws invalid_parameter.
 */
export function ownUrl(
  config: Pick<Config, 'PUBLIC_URL'>,
  param: string,
  given: string | undefined,
  path: string,
): string {
  const origin = new URL(config.PUBLIC_URL).origin
  if (given === undefined) return `${origin}${path}`
  const parsed = URL.canParse(given) ? new URL(given) : null
  if (parsed?.origin === origin && !parsed.username && !parsed.password)
    return parsed.href.replaceAll('%7B', '{').replaceAll('%7D', '}')
  throw new AppError('invalid_parameter', `${param}: must be an address that begins with ${origin}/`, { param })
}
