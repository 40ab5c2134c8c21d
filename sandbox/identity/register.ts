import type { FastifyInstance } from 'fastify'
import { query } from './authorization.ts'
import { avatarSvg } from './avatar.ts'
import { registerGithub } from './github.ts'
import { registerGoogle } from './google.ts'

const DAY_MS = 86_400_000
const LOOPBACK = /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/

export interface SandboxIdentityOptions {
  /** The address of this server; the providers are below it. */
  publicUrl: string
  clientId: string
  clientSecret: string
  /** The only callback that the client registered. */
  callbackUrl: string
  /** What the pages call the application. */
  appName?: () => string
  /** Whether GitHub's callbacks carry `iss`. Default: true, as GitHub does since August 2026. */
  githubSendsIssuer?: boolean
  /** How long Google uses a signing key. Default: one day. */
  googleKeyLifetimeMs?: number
}

/**
 * Imitations of Google and GitHub under /sandbox/identity/{google,github}, for development. They speak the providers'
 * protocols, know only sample people, and answer only this machine.
 */
export async function registerSandboxIdentity(app: FastifyInstance, options: SandboxIdentityOptions): Promise<void> {
  const {
    publicUrl,
    clientId,
    clientSecret,
    callbackUrl,
    appName = () => 'the application',
    githubSendsIssuer = true,
    googleKeyLifetimeMs = DAY_MS,
  } = options
  const client = { id: clientId, secret: clientSecret, callbackUrl, name: appName }
  const base = `${publicUrl}/sandbox/identity`

  await app.register(
    async (scope) => {
      scope.addHook('onRequest', async (request, reply) => {
        if (!LOOPBACK.test(request.socket.remoteAddress ?? ''))
          return reply.code(403).type('text/plain').send('The sandbox answers only this machine.')
      })
      scope.removeAllContentTypeParsers()
      scope.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body))
      for (const provider of ['google', 'github']) {
        scope.get(`/${provider}/avatar`, async (request, reply) => {
          reply.headers({ 'cache-control': 'public, max-age=86400', 'content-security-policy': "default-src 'none'" })
          return reply.type('image/svg+xml').send(avatarSvg(query(request).get('name') ?? '?'))
        })
      }
      await scope.register(
        (google) => registerGoogle(google, { issuer: `${base}/google`, client, keyLifetimeMs: googleKeyLifetimeMs }),
        { prefix: '/google' },
      )
      await scope.register(
        (github) => registerGithub(github, { baseUrl: `${base}/github`, client, sendsIssuer: githubSendsIssuer }),
        { prefix: '/github' },
      )
    },
    { prefix: '/sandbox/identity' },
  )
}
