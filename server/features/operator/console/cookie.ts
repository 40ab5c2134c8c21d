import { createHash, randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'

export const SESSION_HOURS = 12

/** The cookie's name. Over plain HTTP, as on a laptop, a browser takes no `__Host-` cookie. */
const nameOf = (https: boolean): string => `${https ? '__Host-' : ''}console`

const cookie = (value: string, seconds: number, https: boolean): string =>
  `${nameOf(https)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${https ? '; Secure' : ''}`

/** The secret of a new session. Only its hash is stored. */
export const newSecret = (): string => randomBytes(32).toString('base64url')

export const setCookie = (reply: FastifyReply, secret: string, https: boolean): void => {
  reply.header('set-cookie', cookie(secret, SESSION_HOURS * 3600, https))
}

export const clearCookie = (reply: FastifyReply, https: boolean): void => {
  reply.header('set-cookie', cookie('', 0, https))
}

/** The secret that the browser sends, if it looks like one. */
export function readCookie(request: FastifyRequest, https: boolean): string | null {
  const prefix = `${nameOf(https)}=`
  const pair = request.headers.cookie?.split(/; */).find((part) => part.startsWith(prefix))
  const value = pair?.slice(prefix.length)
  return value && /^[\w-]{43}$/.test(value) ? value : null
}

export const hashOf = (value: string): Buffer => createHash('sha256').update(value).digest()

/** Pages of this console alone can read it: it comes in the answer to a request with the cookie. */
export const csrfTokenOf = (value: string): string => hashOf(`csrf:${value}`).toString('base64url')
