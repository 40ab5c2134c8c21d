import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { z } from 'zod'
import type { AuthDeps } from '../deps.ts'
import { invalid } from '../errors.ts'
import { optional } from '../request-input.ts'

/** 230 modules, which few requests need: the server starts without them. */
const webauthn = () => import('@simplewebauthn/server')

/** EdDSA, ES256, RS256: the library would add one that Node calls experimental. */
const ALGORITHMS = { supportedAlgorithmIDs: [-8, -7, -257] }

/** Where the client says that it runs. Absent: on our own site. */
export const relyingPartyBody = z.object({
  rpId: optional(z.string().min(1).max(253)),
  rpOrigins: optional(z.array(z.string().max(300)).min(1).max(10)),
})

/** The browser's answer. Its parts are checked by the library, against what was asked. */
export const credentialBody = z.object({
  type: z.enum(['create', 'request']),
  credential_response: z.looseObject({ id: z.string().min(1) }),
})

/** What is kept of a challenge (`auth.mfa_challenges.ceremony`): `create` registers the authenticator, `request` uses it. */
const ceremonySchema = z.object({
  type: z.enum(['create', 'request']),
  challenge: z.string(),
  rpId: z.string(),
  origins: z.array(z.string()),
})
type Ceremony = z.output<typeof ceremonySchema>

/** What is kept of an authenticator (`auth.mfa_factors.credential`); the public key in base64url (COSE). */
const credentialSchema = z.object({ id: z.string(), publicKey: z.string(), counter: z.number() })
type Credential = z.output<typeof credentialSchema>

interface Factor {
  credential: unknown
}

interface Ceremonial {
  ceremony: Ceremony
  /** As the client reads it. */
  webauthn: { type: Ceremony['type']; credential_options: { publicKey: object } }
}

/** Begins a ceremony for a factor of `person`: a registration until it has a credential. Throws validation_failed. */
export async function beginCeremony(
  deps: Pick<AuthDeps, 'config' | 'redirects'>,
  factor: Factor,
  person: { id: string; name: string },
  given: z.output<typeof relyingPartyBody>,
): Promise<Ceremonial> {
  const { rpId, origins } = relyingParty(deps, given)
  const { generateAuthenticationOptions, generateRegistrationOptions } = await webauthn()
  if (factor.credential === null) {
    const publicKey = await generateRegistrationOptions({
      rpName: new URL(deps.config.PUBLIC_URL).host,
      rpID: rpId,
      userID: new TextEncoder().encode(person.id),
      userName: person.name,
      attestationType: 'none',
      ...ALGORITHMS,
      authenticatorSelection: { residentKey: 'discouraged', userVerification: 'preferred' },
    })
    const ceremony = { type: 'create', challenge: publicKey.challenge, rpId, origins } as const
    return { ceremony, webauthn: { type: 'create', credential_options: { publicKey } } }
  }
  const { id } = credentialSchema.parse(factor.credential)
  const publicKey = await generateAuthenticationOptions({
    rpID: rpId,
    allowCredentials: [{ id }],
    userVerification: 'preferred',
  })
  const ceremony = { type: 'request', challenge: publicKey.challenge, rpId, origins } as const
  return { ceremony, webauthn: { type: 'request', credential_options: { publicKey } } }
}

/** The credential to keep if the answer completes the ceremony that began, else null. */
export async function completeCeremony(
  began: unknown,
  factor: Factor,
  { type, credential_response: answer }: z.output<typeof credentialBody>,
): Promise<Credential | null> {
  const ceremony = ceremonySchema.safeParse(began).data
  if (ceremony?.type !== type) return null
  // Another registration has been completed since this one began.
  if (type === 'create' && factor.credential !== null) return null
  const expected = {
    expectedChallenge: ceremony.challenge,
    expectedOrigin: ceremony.origins,
    expectedRPID: ceremony.rpId,
    // The password or provider came first: presence is enough for the second factor.
    requireUserVerification: false,
  }
  const { verifyAuthenticationResponse, verifyRegistrationResponse } = await webauthn()
  try {
    if (type === 'create') {
      const response = answer as unknown as RegistrationResponseJSON
      const { registrationInfo } = await verifyRegistrationResponse({ response, ...expected, ...ALGORITHMS })
      if (!registrationInfo) return null
      const { id, publicKey, counter } = registrationInfo.credential
      return { id, publicKey: Buffer.from(publicKey).toString('base64url'), counter }
    }
    const known = credentialSchema.parse(factor.credential)
    if (answer.id !== known.id) return null
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: answer as unknown as AuthenticationResponseJSON,
      credential: { ...known, publicKey: new Uint8Array(Buffer.from(known.publicKey, 'base64url')) },
      ...expected,
    })
    return verified ? { ...known, counter: authenticationInfo.newCounter } : null
  } catch {
    // The library throws for everything that does not fit, malformed parts too.
    return null
  }
}

/** The protocol lets the client name its site. Only ours and those that a sign-in may return to count. */
function relyingParty(
  { config, redirects }: Pick<AuthDeps, 'config' | 'redirects'>,
  { rpId, rpOrigins }: z.output<typeof relyingPartyBody>,
): { rpId: string; origins: string[] } {
  const site = new URL(config.PUBLIC_URL)
  const origins = rpOrigins ?? [site.origin]
  const id = rpId ?? site.hostname
  for (const origin of origins) {
    const url = URL.canParse(origin) ? new URL(origin) : null
    if (url?.origin !== origin || !redirects.allows(`${origin}/`))
      throw invalid('rpOrigins needs to name origins of this site or of AUTH_REDIRECT_URLS')
    if (url.hostname !== id && !url.hostname.endsWith(`.${id}`))
      throw invalid('rpId needs to be the host of every origin, or a domain above it')
  }
  return { rpId: id, origins }
}
