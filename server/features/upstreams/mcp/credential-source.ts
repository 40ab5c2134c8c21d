import type { Lookup } from '../../../net/checked-addresses.ts'
import type { McpManifest } from '../manifest.ts'
import { type Credential, headerCredential, readCredential, readSecret } from '../request/credential.ts'
import { createTokenSource } from './token-source.ts'

/** The operator's credential for an MCP server, which may have to be fetched first. */
export interface CredentialSource {
  get: () => Promise<Credential>
  /** What answers must not repeat. */
  texts: () => string[]
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
    return { get: async () => credential, texts: () => credential.texts, refused() {} }
  }
  const secret = readSecret(auth.oauth.secret, env)
  const tokens = createTokenSource(auth.oauth, { secret, base, private_hosts, ...(lookup && { lookup }) })
  let last: Credential | undefined
  return {
    async get() {
      last = headerCredential('authorization', `Bearer ${await tokens.get()}`, [secret])
      return last
    },
    texts: () => last?.texts ?? [secret],
    refused: tokens.forget,
  }
}
