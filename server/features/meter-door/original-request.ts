import type { IncomingHttpHeaders } from 'node:http'
import type { gateways } from '#contract/meter-door.ts'
import { AppError } from '../../http/errors.ts'
import type { Presented } from '../keys/credentials.ts'

/** What a customer asked a gateway for. */
export interface OriginalRequest {
  method: string
  /** Decoded, without the query. */
  segments: string[]
  /** As received, with the query: two requests are the same if this is. */
  target: string
  presented: Presented
}

type Gateway = (typeof gateways)[number]

/** Only headers that the gateway itself sets on every request count: any other could come from the customer. */
const headersOf = {
  nginx: { method: 'x-original-method', target: 'x-original-uri' },
  caddy: { method: 'x-forwarded-method', target: 'x-forwarded-uri' },
  traefik: { method: 'x-forwarded-method', target: 'x-forwarded-uri' },
} as const

const MOST_CHARACTERS = 500

/** Frameworks behind a gateway may follow these to another operation than the one that is charged. */
const misleading = ['x-http-method-override', 'x-http-method', 'x-method-override', 'x-original-url', 'x-rewrite-url']

/**
 * Reads the customer's request from a gateway's question. Envoy repeats method and path in its own request line; `own` has
 * them. Throws forbidden for an address that servers read differently, and invalid_parameter if the gateway did not say.
 */
export function readOriginalRequest(
  gateway: Gateway,
  headers: IncomingHttpHeaders,
  own: { method: string; target: string },
): OriginalRequest {
  const { method, target } =
    gateway === 'envoy'
      ? own
      : { method: headers[headersOf[gateway].method], target: headers[headersOf[gateway].target] }
  if (typeof method !== 'string' || typeof target !== 'string')
    throw new AppError('invalid_parameter', `gateway: ${gateway} did not send the method and address of its request.`, {
      param: 'gateway',
    })
  if (misleading.some((name) => headers[name] !== undefined))
    throw new AppError('forbidden', 'A header of this request names another method or address.')
  return {
    method,
    target,
    segments: segmentsOf(target),
    presented: {
      apiKeyHeader: single(headers['x-api-key']),
      // The gateway and the server behind it write addresses to their logs.
      urlKey: undefined,
      authorization: headers.authorization,
      address: lastOf(headers['x-forwarded-for']),
      client: headers['user-agent'] ?? '',
    },
  }
}

/** Segments that one server may read otherwise than another are refused, whatever the operation. */
function segmentsOf(target: string): string[] {
  const path = target.split('?', 1)[0]!
  const refuse = (): never => {
    throw new AppError('forbidden', 'This address can be read in more than one way.')
  }
  // Several values of a header would be joined with a space.
  if (!/^\/[\x21-\x7e]*$/.test(path) || /[\\;#]/.test(path)) refuse()
  if (path === '/') return ['']
  return path
    .slice(1)
    .split('/')
    .map((raw) => {
      const segment = decode(raw) ?? refuse()
      if (
        segment === '' ||
        segment === '.' ||
        segment === '..' ||
        segment.length > MOST_CHARACTERS ||
        /[/\\;%\p{Cc}]/u.test(segment)
      )
        refuse()
      return segment
    })
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

/** The address that the gateway itself saw: it appends it to whatever the customer sent. */
const lastOf = (forwarded: string | string[] | undefined): string | undefined =>
  single(forwarded)?.split(',').at(-1)?.trim() || undefined

const single = (header: string | string[] | undefined): string | undefined =>
  (Array.isArray(header) ? header.at(-1) : header)?.trim()
