import type { IncomingHttpHeaders } from 'node:http'
import type { Config } from '../../config/config.ts'

/** The caller's country, as the operator's proxy says; undefined: it says none. */
export function countryOf(
  { AGENT_COUNTRY_HEADER: name }: Pick<Config, 'AGENT_COUNTRY_HEADER'>,
  headers: IncomingHttpHeaders,
) {
  const value = name === undefined ? undefined : headers[name.toLowerCase()]
  return typeof value === 'string' ? value : undefined
}
