import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

/** It is printed in logs and sent back in a header, so nothing else may be in it, and no key or token. */
const ACCEPTED = /^(?!.*(fm(at|ac|rt|dc|s)?|hold)_[\w-]{20})[A-Za-z0-9._-]{1,128}$/

/** The caller's `X-Request-Id` if it is acceptable, else a new one. */
export function requestIdOf({ 'x-request-id': given }: IncomingHttpHeaders): string {
  return typeof given === 'string' && ACCEPTED.test(given) ? given : randomUUID()
}
