import type { Logger } from 'pino'
import type { Config } from './config.ts'
import type { Database } from './db/database.ts'
import type { Listener } from './db/listen.ts'
import type { AccessTokens } from './features/auth/access-tokens.ts'
import type { KeyVerifier } from './features/keys/verify.ts'
import type { MarketData } from './features/market-data/market-data.ts'
import type { Meter } from './features/metering/meter.ts'
import type { RateLimiter } from './features/metering/rate-limiter.ts'
import type { ToolRegistry } from './features/tools/registry.ts'
import type { Secrets } from './secrets.ts'

/** Everything that features need from outside themselves; made once by `compose.ts`, handed to `buildApp`. */
export interface Deps {
  config: Config
  db: Database
  listener: Listener
  log: Logger
  secrets: Secrets
  accessTokens: AccessTokens
  keys: KeyVerifier
  limiter: RateLimiter
  meter: Meter
  market: MarketData
  tools: ToolRegistry
}
