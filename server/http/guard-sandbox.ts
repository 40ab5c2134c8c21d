import type { FastifyInstance } from 'fastify'
import type { Config } from '../config/config.ts'

/** Headers that proxies add, including proxies that are not configured here. */
const FORWARDED = /^(forwarded|via|x-real-ip|x-forwarded-.+|x-original-.+|true-client-ip|cf-connecting-ip|x-client-ip)$/
const LOOPBACK_HOST = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/i

/**
 * Refuses requests for sandbox pages that came through a proxy or name another host: its mailbox and providers let anyone
 * sign in as anyone. nginx without further settings adds no header and names us as the host, but speaks HTTP/1.0, which
 * no browser does. SANDBOX=on lifts this, for a public trial.
 */
export async function guardSandbox(app: FastifyInstance, { SANDBOX, PUBLIC_URL }: Config): Promise<void> {
  if (SANDBOX === 'on') return
  const ownHost = new URL(PUBLIC_URL).host
  app.addHook('onRequest', async ({ routeOptions, headers, raw }, reply) => {
    if (!routeOptions.url?.startsWith('/sandbox/')) return
    const host = headers.host ?? ''
    const direct =
      raw.httpVersion !== '1.0' &&
      (host === ownHost || LOOPBACK_HOST.test(host)) &&
      !Object.keys(headers).some((name) => FORWARDED.test(name))
    if (direct) return
    return reply
      .code(403)
      .type('text/plain')
      .send('The sandbox answers this machine only. SANDBOX=on opens it to everyone who can reach this address.')
  })
}
