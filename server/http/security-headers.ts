import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import helmet from 'helmet'
import type { Config } from '../config/config.ts'

type PolicyConfig = Pick<Config, 'PUBLIC_URL' | 'AUTH_URL' | 'providers'>

/** Where Google and GitHub keep the pictures of people. */
const PICTURE_HOSTS = ['https://lh3.googleusercontent.com', 'https://avatars.githubusercontent.com']

/**
 * Headers of every response, names in lower case. They are few, because calls are answered with them many thousand times a second; an
 * answer of data loads nothing, so the shortest policy is the strictest.
 */
export const answerHeaders = ({ PUBLIC_URL }: Pick<Config, 'PUBLIC_URL'>): Record<string, string> => ({
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  ...(PUBLIC_URL.startsWith('https:') && { 'strict-transport-security': 'max-age=31536000' }),
  'x-content-type-options': 'nosniff',
})

/**
 * What pages have besides, as helmet sets it. It is the same for every page, so helmet runs once. Pages with inline scripts replace the
 * policy with one that has their hashes (features/site/pages.ts).
 */
function pageHeaders(config: PolicyConfig): Record<string, string> {
  const request = new IncomingMessage(new Socket())
  const response = new ServerResponse(request)
  helmet({
    contentSecurityPolicy: { useDefaults: false, directives: contentPolicy(config) },
    strictTransportSecurity: false,
    referrerPolicy: false,
    crossOriginEmbedderPolicy: false,
    crossOriginResourcePolicy: false,
    xContentTypeOptions: false,
  })(request, response, (error) => {
    if (error) throw error
  })
  return Object.fromEntries(Object.entries(response.getHeaders()).map(([name, value]) => [name, String(value)]))
}

/** Sets the constant headers on every response that goes through Fastify. The HTML of an upstream's operation is data. */
export function registerSecurityHeaders(app: FastifyInstance, config: PolicyConfig): void {
  const all = answerHeaders(config)
  const { 'content-security-policy': policy, ...page } = pageHeaders(config)
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(all)
    done()
  })
  app.addHook('onSend', (request, reply, _payload, done) => {
    const isPage = String(reply.getHeader('content-type') ?? '').startsWith('text/html')
    if (isPage && !request.url.startsWith('/v1/')) {
      reply.headers(page)
      if (reply.getHeader('content-security-policy') === all['content-security-policy'])
        reply.header('content-security-policy', policy)
    }
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
