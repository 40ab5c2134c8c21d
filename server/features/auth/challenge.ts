import { createHash, timingSafeEqual } from 'node:crypto'
import { invalid } from './errors.ts'

const CHARACTERS = /^[A-Za-z0-9._~-]*$/

/** What a client keeps a verifier for (PKCE). */
export interface Challenge {
  codeChallenge: string
  codeChallengeMethod: 's256' | 'plain'
}

/** The challenge of a request, or null if it has none. Throws if it is incomplete or malformed. */
export function readChallenge(
  codeChallenge: string | null | undefined,
  givenMethod: string | null | undefined,
): Challenge | null {
  const method = (givenMethod ?? '').toLowerCase()
  if (!codeChallenge && !method) return null
  if (!codeChallenge || !method) throw invalid('PKCE flow requires code_challenge_method and code_challenge')
  if (codeChallenge.length < 43 || codeChallenge.length > 128)
    throw invalid('code challenge has to be between 43 and 128 characters')
  if (!CHARACTERS.test(codeChallenge)) {
    throw invalid('code challenge can only contain alphanumeric characters, hyphens, periods, underscores and tildes')
  }
  if (method !== 's256' && method !== 'plain') throw invalid('code_challenge_method has to be s256 or plain')
  return { codeChallenge, codeChallengeMethod: method }
}

/** Whether `verifier` is what the challenge was made of, in constant time. */
export function proves(verifier: string, { codeChallenge, codeChallengeMethod }: Challenge): boolean {
  const made = codeChallengeMethod === 'plain' ? verifier : createHash('sha256').update(verifier).digest('base64url')
  const [given, expected] = [made, codeChallenge].map((text) => createHash('sha256').update(text).digest())
  return timingSafeEqual(given!, expected!)
}
