import type { IncomingMessage } from 'node:http'
import proxyAddress from '@fastify/proxy-addr'
import type { Config } from '../config/config.ts'
import type { LaneRequest } from './exchange.ts'

/** The client's address, like Fastify's `request.ip`: X-Forwarded-For counts only behind TRUST_PROXY. */
export function clientAddress({ trustProxy }: Pick<Config, 'trustProxy'>): (request: LaneRequest) => string {
  if (trustProxy.length === 0) return (request) => request.socket.remoteAddress ?? ''
  const trusted = proxyAddress.compile(trustProxy)
  return (request) => proxyAddress(request as IncomingMessage, trusted)
}
