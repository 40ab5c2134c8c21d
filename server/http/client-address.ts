import type { IncomingMessage } from 'node:http'
import proxyAddress from '@fastify/proxy-addr'
import type { Config } from '../config.ts'
import type { LaneRequest } from './exchange.ts'

/** The address that a request came from, as Fastify's `request.ip` tells it: X-Forwarded-For counts behind TRUST_PROXY only. */
export function clientAddress({ trustProxy }: Pick<Config, 'trustProxy'>): (request: LaneRequest) => string {
  if (trustProxy.length === 0) return (request) => request.socket.remoteAddress ?? ''
  const trusted = proxyAddress.compile(trustProxy)
  return (request) => proxyAddress(request as IncomingMessage, trusted)
}
