import type { Logger } from 'pino'
import type { Config } from './config.ts'
import type { Database } from './db/database.ts'
import type { Listener } from './db/listen.ts'
import type { AccessTokens } from './features/auth/access-claims.ts'
import type { StripeAccess } from './features/billing/stripe/client.ts'
import type { KeyVerifier } from './features/keys/verify.ts'
import type { MarketAccess } from './features/market-data/market-access.ts'
import type { Meter } from './features/metering/meter.ts'
import type { RateLimiter } from './features/metering/rate-limiter.ts'
import type { TokenVerifier } from './features/oauth/verify-token.ts'
import type { Knowledge } from './features/tools/knowledge.ts'
import type { ToolRegistry } from './features/tools/registry.ts'
import type { Refusals } from './features/usage/refusals.ts'
import type { Mailer } from './mail/send-mail.ts'
import type { Secrets } from './secrets.ts'

/** Everything that features need from outside themselves; made once by `compose.ts`, handed to `buildApp`. */
export interface Deps {
  config: Config
  db: Database
  listener: Listener
  log: Logger
  secrets: Secrets
  accessTokens: AccessTokens
  mail: Mailer
  keys: KeyVerifier
  /** Access tokens of MCP clients. */
  tokens: TokenVerifier
  limiter: RateLimiter
  meter: Meter
  refusals: Refusals
  market: MarketAccess
  knowledge: Knowledge
  tools: ToolRegistry
  /** Null: this installation sells nothing. */
  stripe: StripeAccess | null
}
