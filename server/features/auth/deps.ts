import type { FastifyRequest } from 'fastify'
import type { Deps } from '../../deps.ts'
import type { SmsSender } from './codes/sms.ts'
import type { Provider, ProviderName } from './providers/provider.ts'
import type { RedirectAllowList } from './redirects/redirect-allow-list.ts'

/** What the verbs of this feature need; made once by `registerAuth`. */
export interface AuthDeps
  extends Pick<Deps, 'config' | 'db' | 'limits' | 'log' | 'secrets' | 'accessTokens' | 'mail' | 'shop'> {
  providers: Record<ProviderName, Provider | null>
  redirects: RedirectAllowList
  /** Null if text messages cannot be sent. */
  sms: SmsSender | null
  /** Whether users can sign in by email. */
  emailEnabled: boolean
}

/** The device of a session, as it was last seen. */
export interface Device {
  userAgent: string | null
  ip: string
}

const USER_AGENT_MAX = 512

export function deviceOf(request: FastifyRequest): Device {
  return { userAgent: request.headers['user-agent']?.slice(0, USER_AGENT_MAX) ?? null, ip: request.ip }
}
