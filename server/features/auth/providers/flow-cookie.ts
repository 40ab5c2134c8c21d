import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { FLOW_SECONDS } from './flows.ts'

/** Whether a browser's cookie matches the flow that it returns with. */
export type CookieVerdict = 'same browser' | 'absent' | 'other browser'

/** Ties a flow to the browser that starts it. Returns the hash to keep with the flow. */
export function setFlowCookie(reply: FastifyReply, flowId: string, https: boolean): Buffer {
  const value = randomBytes(32).toString('base64url')
  reply.header('set-cookie', cookie(flowId, value, FLOW_SECONDS, https))
  return hash(value)
}

export function clearFlowCookie(reply: FastifyReply, flowId: string, https: boolean): void {
  reply.header('set-cookie', cookie(flowId, '', 0, https))
}

export function checkFlowCookie(
  request: FastifyRequest,
  flowId: string,
  expected: Buffer | null,
  https: boolean,
): CookieVerdict {
  const prefix = `${cookieName(flowId, https)}=`
  const pair = request.headers.cookie?.split(/; */).find((part) => part.startsWith(prefix))
  if (!pair) return 'absent'
  return expected && timingSafeEqual(hash(pair.slice(prefix.length)), expected) ? 'same browser' : 'other browser'
}

/** A name for each flow, so that sign-ins in two tabs do not overwrite each other. */
const cookieName = (flowId: string, https: boolean): string =>
  `${https ? '__Host-' : ''}finmeter-flow-${flowId.slice(0, 8)}`

const cookie = (flowId: string, value: string, seconds: number, https: boolean): string =>
  `${cookieName(flowId, https)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${https ? '; Secure' : ''}`

const hash = (value: string): Buffer => createHash('sha256').update(value).digest()
