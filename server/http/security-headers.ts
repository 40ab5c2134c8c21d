import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import helmet from 'helmet'
import type { Config } from '../config.ts'

/**
 * Headers of every answer, names in lower case: what helmet sets for us. They never differ from one request to the
 * next, so helmet is asked once. Pages replace the policy by one with hashes of their inline scripts (features/site/pages.ts).
 */
export function securityHeaders(config: Pick<Config, 'PUBLIC_URL' | 'AUTH_URL'>): Record<string, string> {
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

/** Puts the constant headers on every answer that goes through Fastify. */
export function registerSecurityHeaders(app: FastifyInstance, config: Pick<Config, 'PUBLIC_URL' | 'AUTH_URL'>): void {
  const headers = securityHeaders(config)
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(headers)
    done()
  })
}

/** `scriptHashes`: hashes of the inline scripts of the page that is sent. */
export function contentPolicy(
  { PUBLIC_URL, AUTH_URL }: Pick<Config, 'PUBLIC_URL' | 'AUTH_URL'>,
  scriptHashes: string[] = [],
): Record<string, string[]> {
  return {
    'default-src': ["'none'"],
    'script-src': ["'self'", ...scriptHashes],
    'style-src': ["'self'", "'unsafe-inline'"],
    'img-src': ["'self'", 'data:', 'https:'],
    // Sound that a tool answered, in the playground; no page of another origin is asked for any.
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
