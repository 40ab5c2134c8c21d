import { randomBytes } from 'node:crypto'
import type { OAuthClientProvider } from '@modelcontextprotocol/client'
import type { Deps } from '../../../deps.ts'
import { clientDocumentUrl, clientMetadata, signedInUrl } from './client-document.ts'
import { type Kept, type Place, readKept, writeKept } from './store.ts'

/** The SDK's sign-in state for a server, stored between requests. */
export interface SignIn extends OAuthClientProvider {
  /** Whether the server has asked for a sign-in. */
  asked: boolean
  /** Headers that the person gave for this server. */
  headers: Record<string, string>
  /** Clears what only the sign-in in progress needed. */
  done: () => Promise<void>
}

type SignInDeps = Pick<Deps, 'config' | 'db' | 'secrets' | 'shop'>

/**
 * `leg`: a start discovers the authorization server again, since it may have changed; a finish stays with the start's,
 * so that the code cannot be sent to another one.
 */
export async function openSignIn(deps: SignInDeps, place: Place, leg: 'start' | 'finish' = 'start'): Promise<SignIn> {
  let kept = await readKept(deps, place)
  let state: string | undefined
  const keep = async (more: Kept, started?: string | null) => {
    kept = { ...kept, ...more }
    await writeKept(deps, place, kept, started)
  }
  const url = clientDocumentUrl(deps.config)
  const signIn: SignIn = {
    asked: false,
    headers: kept.headers ?? {},
    redirectUrl: signedInUrl(deps.config),
    clientMetadata: clientMetadata(deps.config, deps.shop.current()),
    ...(url && { clientMetadataUrl: url }),
    state() {
      state = randomBytes(32).toString('base64url')
      return state
    },
    clientInformation: () => kept.client,
    saveClientInformation: (client) => keep({ client }),
    // Another request may have refreshed them in the meantime.
    tokens: async () => {
      kept = { ...kept, ...only(await readKept(deps, place)) }
      return kept.tokens
    },
    saveTokens: (tokens) => keep({ tokens }),
    saveCodeVerifier: (verifier) => keep({ verifier }),
    codeVerifier: () => kept.verifier ?? '',
    saveDiscoveryState: (discovery) => keep({ discovery }),
    discoveryState() {
      signIn.asked = true
      return leg === 'finish' ? kept.discovery : undefined
    },
    // What the authorization server no longer recognizes is deleted, so that a new sign-in can start.
    async invalidateCredentials(scope) {
      const { client, tokens, ...rest } = kept
      kept = {
        ...rest,
        ...(client && !/all|client/.test(scope) && { client }),
        ...(tokens && !/all|tokens/.test(scope) && { tokens }),
      }
      await writeKept(deps, place, kept)
    },
    async redirectToAuthorization(address) {
      // Anything else would run in the person's browser or open a program there.
      if (!/^https?:$/.test(address.protocol)) throw new Error('Its sign-in page is not a web URL')
      await keep({ url: address.href }, state)
    },
    async done() {
      const { verifier: _, discovery: __, url: ___, ...lasting } = kept
      kept = lasting
      await writeKept(deps, place, kept, null)
    },
  }
  return signIn
}

const only = ({ tokens }: Kept): Kept => (tokens ? { tokens } : {})
