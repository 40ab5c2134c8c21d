import type { Config } from '../../config.ts'
import { AppError } from '../../http/errors.ts'

/**
 * An address to return to after a page at the payment provider. Only our own pages: anything else would make us a
 * redirector for strangers. Throws invalid_parameter.
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
