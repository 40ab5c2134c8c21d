import Fastify, { type FastifyInstance } from 'fastify'
import * as oauth from 'oauth4webapi'
import { freePort } from '#server/db/embedded.ts'
import { registerSandboxIdentity, type SandboxIdentityOptions } from '../register.ts'

export const CALLBACK = 'http://localhost:1/auth/v1/callback'
export const CLIENT: oauth.Client = { client_id: 'the-client' }
export const SECRET = 'the-secret'
export const INSECURE = { [oauth.allowInsecureRequests]: true }

export interface IdentityServer {
  app: FastifyInstance
  /** Base URLs of the two providers. */
  google: string
  github: string
  close: () => Promise<void>
}

/** Both providers, listening on a free loopback port. */
export async function startIdentityServer(options: Partial<SandboxIdentityOptions> = {}): Promise<IdentityServer> {
  const port = await freePort()
  const app = Fastify()
  const publicUrl = `http://localhost:${port}`
  await registerSandboxIdentity(app, {
    publicUrl,
    clientId: CLIENT.client_id,
    clientSecret: SECRET,
    callbackUrl: CALLBACK,
    appName: () => 'Northwind & Sons',
    ...options,
  })
  await app.listen({ port, host: '127.0.0.1' })
  const base = `${publicUrl}/sandbox/identity`
  return { app, google: `${base}/google`, github: `${base}/github`, close: () => app.close() }
}

/** The callback URL that a provider redirects to, without a page, for `email`. */
export async function callbackOf(
  endpoint: string,
  email: string,
  parameters: Record<string, string> = {},
): Promise<URL> {
  const asked = new URLSearchParams({
    client_id: CLIENT.client_id,
    redirect_uri: CALLBACK,
    response_type: 'code',
    state: 'the-state',
    login_hint: email,
    prompt: 'none',
    ...parameters,
  })
  const response = await fetch(`${endpoint}?${asked}`, { redirect: 'manual' })
  const location = response.headers.get('location')
  if (!location) throw new Error(`${response.status}: ${await response.text()}`)
  return new URL(location)
}
