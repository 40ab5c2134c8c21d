import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import helmet from 'helmet'
import type { Config } from '../config/config.ts'

type PolicyConfig = Pick<Config, 'PUBLIC_URL' | 'AUTH_URL' | 'providers'>

/** Where Google and GitHub keep the pictures of people. */
const PICTURE_HOSTS = ['https://lh3.googleusercontent.com', 'https://avatars.githubusercontent.com']

/**
 * Headers of every response, names in lower case, as helmet sets them. They are the same for every request, so helmet runs
 * once. Pages replace the policy with one that has the hashes of their inline scripts (features/site/pages.ts).
 */
export function securityHeaders(config: PolicyConfig): Record<string, string> {
  const https = config.PUBLIC_URL.startsWith('https:')
  const request = new IncomingMessage(new Socket())
  const response = new ServerResponse(request)
  helmet({
    contentSecurityPolicy: { useDefaults: false, directives: contentPolicy(config) },
    strictTransportSecurity: https ? { maxAge: 31_536_000, includeSubDomains: false } : false,
    referrerPolicy: { policy: 'no-referrer' },
    crossOriginEmbedderPolicy: false,
    crossOriginResourcePolicy: { policy: 'same-origin' },
  })(request, response, (error) => {
    if (error) throw error
  })
  return Object.fromEntries(Object.entries(response.getHeaders()).map(([name, value]) => [name, String(value)]))
}

/** Sets the constant headers on every response that goes through Fastify. */
export function registerSecurityHeaders(app: FastifyInstance, config: PolicyConfig): void {
  const headers = securityHeaders(config)
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(headers)
    done()
  })
}

/** The content security policy. `scriptHashes`: hashes of the page's inline scripts. */
export function contentPolicy(
  { PUBLIC_URL, AUTH_URL, providers }: PolicyConfig,
  scriptHashes: string[] = [],
): Record<string, string[]> {
  return {
    'default-src': ["'none'"],
    'script-src': ["'self'", ...scriptHashes],
    'style-src': ["'self'", "'unsafe-inline'"],
    // People can set any picture URL. One elsewhere would tell its owner who looks at it and when, so a letter is shown instead.
    'img-src': ["'self'", 'data:', ...PICTURE_HOSTS, ...pictureOrigins(providers)],
    // Sound that a tool returned, in the playground. None is loaded from another origin.
    'media-src': ['data:'],
    'font-src': ["'self'"],
    'connect-src': ["'self'", ...(AUTH_URL ? [new URL(AUTH_URL).origin] : [])],
    'manifest-src': ["'self'"],
    'base-uri': ["'none'"],
    'form-action': ["'self'"],
    'frame-ancestors': ["'none'"],
    ...(PUBLIC_URL.startsWith('https:') ? { 'upgrade-insecure-requests': [] } : {}),
  }
}

/** GitHub Enterprise and other issuers serve pictures themselves. */
const pictureOrigins = (providers: Config['providers']): string[] =>
  Object.values(providers)
    .filter((provider) => provider !== null)
    .map(({ url }) => new URL(url).origin)
    .filter((origin) => origin !== 'https://github.com' && origin !== 'https://accounts.google.com')
