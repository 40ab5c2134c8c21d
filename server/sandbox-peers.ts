import { registerSandboxIdentity } from '#sandbox/identity/register.ts'
import type { Extension } from './app.ts'
import type { Config } from './config.ts'

/**
 * The local peers that stand in for services beyond the network; the product reaches each by its real protocol.
 * The only file of the product that knows them.
 */
export function sandboxPeers(config: Config): Extension[] {
  const peer = [config.providers.google, config.providers.github].find((provider) => provider?.sandbox)
  if (!peer) return []
  const { clientId, clientSecret } = peer
  const callbackUrl = `${config.PUBLIC_URL}/auth/v1/callback`
  return [(app) => registerSandboxIdentity(app, { publicUrl: config.PUBLIC_URL, clientId, clientSecret, callbackUrl })]
}
