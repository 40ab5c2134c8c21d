import { z } from 'zod'
import { hostOf, type Lookup } from '../../../net/checked-addresses.ts'
import { createGuardedFetch } from '../../../net/guarded-fetch.ts'
import type { OAuthClient } from '../manifest.ts'
import { UpstreamFailure } from '../request/failure.ts'

const TIMEOUT_MS = 10_000
const MOST_BYTES = 64 * 1024
/** A token is not used up to its last second. */
const MARGIN_MS = 30_000
/** Of a token that does not say how long it is valid. */
const USUAL_S = 300

const answer = z.object({
  access_token: z.string().regex(/^[\x21-\x7E]{1,8000}$/),
  token_type: z.string().regex(/^bearer$/i),
  expires_in: z.coerce.number().positive().optional().catch(undefined),
})

/** Access tokens by OAuth client credentials (RFC 6749, 4.4), for the resource `base`. `get` throws UpstreamFailure. */
export function createTokenSource(
  { token_url, client_id, scope }: OAuthClient,
  options: { secret: string; base: string; private_hosts: readonly string[]; lookup?: Lookup },
): { get: () => Promise<string>; forget: () => void } {
  const { secret, base, private_hosts, lookup } = options
  const guarded = createGuardedFetch({
    privateNetworks: private_hosts.includes(hostOf(new URL(token_url))),
    timeoutMs: TIMEOUT_MS,
    maxBytes: MOST_BYTES,
    ...(lookup && { lookup }),
  })
  const pair = `${encodeURIComponent(client_id)}:${encodeURIComponent(secret)}`
  const body = new URLSearchParams({ grant_type: 'client_credentials', resource: base, ...(scope && { scope }) })
  let known: { token: Promise<string>; untilMs: number } | undefined

  const ask = async (): Promise<{ token: string; untilMs: number }> => {
    try {
      const response = await guarded(token_url, {
        method: 'POST',
        headers: { authorization: `Basic ${Buffer.from(pair).toString('base64')}`, accept: 'application/json' },
        body,
      })
      if (!response.ok) throw new UpstreamFailure(`the token endpoint answered ${response.status}`)
      const { access_token, expires_in = USUAL_S } = answer.parse(await response.json())
      return { token: access_token, untilMs: performance.now() + expires_in * 1_000 - MARGIN_MS }
    } catch (error) {
      if (error instanceof UpstreamFailure) throw error
      throw new UpstreamFailure(`the token endpoint gave no token: ${(error as Error).name}`)
    }
  }
  return {
    get() {
      if (known && known.untilMs > performance.now()) return known.token
      const asked = ask()
      const one = { token: asked.then(({ token }) => token), untilMs: Number.POSITIVE_INFINITY }
      known = one
      // Calls that come meanwhile wait for the same answer.
      asked.then(
        ({ untilMs }) => {
          one.untilMs = untilMs
        },
        () => {
          if (known === one) known = undefined
        },
      )
      return one.token
    },
    forget() {
      known = undefined
    },
  }
}
