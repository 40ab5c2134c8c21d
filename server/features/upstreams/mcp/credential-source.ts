import type { Lookup } from '../../../net/checked-addresses.ts'
import type { McpManifest } from '../manifest.ts'
import { type Credential, headerCredential, readCredential, readSecret } from '../request/credential.ts'
import { createSecretSearch, type SecretSearch } from '../request/secret-search.ts'
import { createTokenSource } from './token-source.ts'

/** The operator's credential for an MCP server, which may have to be fetched first. */
export interface CredentialSource {
  get: () => Promise<Credential>
  /** Finds what answers must not repeat. */
  secret: () => SecretSearch
  /** The server did not accept it. */
  refused: () => void
}

/** Throws an Error when the variable that the manifest names cannot be used. */
export function openCredential(
  { auth, base, private_hosts }: Pick<McpManifest, 'auth' | 'base' | 'private_hosts'>,
  env: NodeJS.ProcessEnv,
  lookup?: Lookup,
): CredentialSource {
  if (!auth || !('oauth' in auth)) {
    const credential = readCredential(auth, env)
    return { get: async () => credential, secret: () => credential.secret, refused() {} }
  }
  const secret = readSecret(auth.oauth.secret, env)
  const tokens = createTokenSource(auth.oauth, { secret, base, private_hosts, ...(lookup && { lookup }) })
  const untilThen = createSecretSearch([secret])
  let last: Credential | undefined
  return {
    async get() {
      const value = `Bearer ${await tokens.get()}`
      if (last?.headers.authorization !== value) last = headerCredential('authorization', value, [secret])
      return last!
    },
    secret: () => last?.secret ?? untilThen,
    refused: tokens.forget,
  }
}
