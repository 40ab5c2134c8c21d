import type { Logger } from 'pino'
import type { Config } from './config/config.ts'
import type { Database } from './db/database.ts'
import type { Listener } from './db/listen.ts'
import type { AgentPayments } from './features/agent-payments/open-payments.ts'
import type { ArchiveStore } from './features/archive/archive-store.ts'
import type { AccessTokens } from './features/auth/tokens/access-claims.ts'
import type { StripeAccess } from './features/billing/stripe/client.ts'
import type { ExportQueue } from './features/data-api/export-queue.ts'
import type { PlansOfAccount } from './features/entitlement/plans-of-account.ts'
import type { TokenVerifier } from './features/keys/credentials.ts'
import type { KeyVerifier } from './features/keys/verify.ts'
import type { MarketAccess } from './features/market-data/market-access.ts'
import type { Knowledge } from './features/mcp/knowledge.ts'
import type { Meter } from './features/metering/meter.ts'
import type { RateLimiter } from './features/metering/rate-limiter.ts'
import type { ShopAccess } from './features/shop/serve-shop.ts'
import type { Switches } from './features/switches/serve-switches.ts'
import type { ToolRegistry } from './features/tools/registry.ts'
import type { Refusals } from './features/usage/refusals.ts'
import type { Tracer } from './http/call-record.ts'
import type { Limits } from './http/limits/limits.ts'
import type { Pressure } from './http/pressure.ts'
import type { Mailer } from './mail/send-mail.ts'
import type { Metrics } from './metrics/metrics.ts'
import type { Secrets } from './secrets/secrets.ts'

/** Everything that features need from outside; created once by `compose.ts`, passed to `buildApp`. */
export interface Deps {
  config: Config
  db: Database
  listener: Listener
  log: Logger
  /** Null without METRICS_PORT: nothing is counted. */
  metrics: Metrics | null
  /** Null without OTEL_EXPORTER_OTLP_ENDPOINT: there are no spans. */
  tracer: Tracer | null
  secrets: Secrets
  accessTokens: AccessTokens
  mail: Mailer
  keys: KeyVerifier
  /** Access tokens of MCP clients. */
  tokens: TokenVerifier
  /** Requests per minute of accounts and keys. */
  limiter: RateLimiter
  /** Every other limit. */
  limits: Limits
  meter: Meter
  refusals: Refusals
  market: MarketAccess
  knowledge: Knowledge
  /** How the installation names itself. */
  shop: ShopAccess
  /** What an operator has stopped or announced on a bad day. */
  switches: Switches
  tools: ToolRegistry
  /** Null without AGENT_PAYMENTS: every call needs a key. */
  payments: AgentPayments | null
  /** Null if nothing is for sale on this installation. */
  stripe: StripeAccess | null
  /** `draining`: the server is about to stop, and load balancers should look for another. */
  service: { draining: boolean }
  plansOf: PlansOfAccount
  pressure: Pressure
  exports: ExportQueue
  /** Days of calls that were moved out of the database. Null without USAGE_ARCHIVE. */
  archive: ArchiveStore | null
}
