import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Extension } from './app.ts'
import type { Config } from './config/config.ts'
import { requireSecret } from './config/require-secret.ts'
import { openBuckets } from './db/buckets.ts'
import { openDatabase } from './db/database.ts'
import { createListener } from './db/listen.ts'
import { listenOnNodes } from './db/listen-on-nodes.ts'
import { migrate, requireMigrated } from './db/migrate.ts'
import { readNodeAddresses, readPlacement } from './db/placement.ts'
import { readReplication } from './db/replication.ts'
import type { Deps } from './deps.ts'
import { openArchive } from './features/archive/archive-store.ts'
import { createAccessTokens } from './features/auth/tokens/access-tokens.ts'
import { keepAlertSecrets } from './features/billing/alerts/alert-webhook.ts'
import { createStripeAccess } from './features/billing/stripe/client.ts'
import { createExportQueue } from './features/data-api/export-queue.ts'
import { publishedPlace } from './features/datasets/published-place.ts'
import { servePublished } from './features/datasets/serve-published.ts'
import { createPlansOfAccount } from './features/entitlement/plans-of-account.ts'
import { createKeyVerifier } from './features/keys/verify.ts'
import { createBarMemory } from './features/market-data/bar-store/bar-memory.ts'
import { createKnowledge } from './features/market-data/knowledge/knowledge.ts'
import { createMarketAccess } from './features/market-data/market-access.ts'
import { loadMarketData } from './features/market-data/market-data.ts'
import { createMeter } from './features/metering/create-meter.ts'
import { createRateLimiter } from './features/metering/rate-limiter.ts'
import { createTokenVerifier } from './features/oauth/verify-token.ts'
import { followPrices } from './features/operator/products/follow-prices.ts'
import { servedBuiltins, servesDemoData } from './features/shop/builtins.ts'
import { serveShop } from './features/shop/serve-shop.ts'
import type { Shop } from './features/shop/shop.ts'
import { suspendedError } from './features/shop/suspended-error.ts'
import { serveSwitches } from './features/switches/serve-switches.ts'
import { createToolRegistry } from './features/tools/registry.ts'
import { serveUpstreams } from './features/upstreams/serve-upstreams.ts'
import { createRefusals } from './features/usage/refusals.ts'
import { createLimits } from './http/limits/limits.ts'
import { createPressure } from './http/pressure.ts'
import { createLog } from './log.ts'
import { createMailer } from './mail/send-mail.ts'
import { createMetrics } from './metrics/metrics.ts'
import { timePool } from './metrics/time-pool.ts'
import { toolGroups } from './product-tools.ts'
import { type SandboxPeers, startSandboxPeers } from './sandbox-peers.ts'
import { secretsOf } from './secrets/secrets.ts'
import { openTracer } from './tracing/open-tracer.ts'

export interface Composition {
  deps: Deps
  /** The routes of the local peers, for `buildApp`. */
  extensions: Extension[]
  /** The peers themselves, for tests. */
  peers: SandboxPeers
  /** Stops what composing started. Nothing waits for another, except that the database closes last. */
  close: () => Promise<void>
}

const demoDataDir = join(import.meta.dirname, '../data/demo')

/**
 * Migrates the database at `databaseUrl` (unless MIGRATE is off) and creates everything that `buildApp` needs. Throws when any of it fails.
 * `sandboxTickMs`: how often the Stripe sandbox looks for due work; 0 for tests, which trigger it. `loadHeld` reads the data that
 * comes with the product.
 */
export async function compose(
  config: Config,
  databaseUrl: string,
  {
    sandboxTickMs,
    service = { draining: false },
    loadHeld = loadMarketData,
  }: { sandboxTickMs?: number; service?: Deps['service']; loadHeld?: typeof loadMarketData } = {},
): Promise<Composition> {
  const log = createLog(config)
  // Before everything else: the locks of a migration, too, rely on sessions that a transaction pooler does not keep.
  const listener = await createListener(databaseUrl, log)
  await prepareDatabase(config, databaseUrl, log)
  const placement = await readPlacement(databaseUrl, readNodeAddresses(config.DATABASE_NODES ?? '') ?? new Map(), log)
  const db = await openBuckets(
    databaseUrl,
    config.DATABASE_POOL_SIZE,
    (error) => log.warn({ error: error.message }, 'database connection lost'),
    placement,
  )
  const everywhere = listenOnNodes(listener, placement, log)
  const { risk } = await readReplication(db)
  if (risk) log.warn(risk)
  const metrics = config.METRICS_PORT === undefined ? null : createMetrics()
  if (metrics) timePool(db.pool, metrics)
  const tracer = config.OTEL_EXPORTER_OTLP_ENDPOINT === undefined ? null : await openTracer(config, log)
  const secrets = secretsOf(config)
  await keepAlertSecrets({ db, secrets }, await requireSecret(db, secrets))
  const limiter = await createRateLimiter({ config, log })
  const limits = createLimits(config)
  const pressure = createPressure(config, log)
  const [accessTokens, held] = await Promise.all([
    createAccessTokens({ config, db, secrets, log }),
    loadHeld({ dir: demoDataDir, demoPrices: config.DEMO_PRICES === 'on' }),
  ])
  const plansOf = createPlansOfAccount({ db, listener })
  const market = createMarketAccess(held, plansOf)
  const published = await servePublished(
    publishedPlace(config),
    market,
    log,
    createBarMemory(config.DATA_MEMORY_MB * 2 ** 20),
  )
  const tools = await createToolRegistry([], db)
  const take = (next: Shop, serve: () => void) =>
    tools.replace('code', servedBuiltins(next, toolGroups), () => {
      published.demonstrate(servesDemoData(next))
      serve()
    })
  const shop = await serveShop({ config, db, listener, log, take })
  const switches = await serveSwitches({ db, listener, log })
  const knowledge = createKnowledge(market, tools)
  const upstreams = await serveUpstreams({ db, listener, log, metrics, secrets, tools, env: process.env })
  const prices = followPrices({ db, tools, log })
  const keys = createKeyVerifier({ db, listener, log })
  const tokens = createTokenVerifier({ config, db, listener })
  const refusals = createRefusals(db, log)
  const suspended = () => suspendedError(shop.current())
  const meter = createMeter({ config, db, listener: everywhere, limiter, log, metrics, suspended })
  const archive = await openArchive(config)
  const shopName = () => shop.current().name
  const peers = await startSandboxPeers({ config, databaseUrl, secrets, log, shopName, tickMs: sandboxTickMs })
  const mail = createMailer({ config, shop, sandboxSmtpUrl: peers.mail?.smtpUrl ?? null, db, listener, secrets, log })
  const stripe = createStripeAccess(config, peers.stripe)
  const payments = config.AGENT_PAYMENTS === 'off' ? null : await payingWith({ config, db, limits, log, secrets })
  return {
    deps: {
      config,
      db,
      listener,
      log,
      metrics,
      tracer,
      secrets,
      accessTokens,
      mail,
      keys,
      tokens,
      limiter,
      limits,
      meter,
      refusals,
      market,
      knowledge,
      shop,
      switches,
      tools,
      payments,
      stripe,
      service,
      plansOf,
      pressure,
      exports: createExportQueue(config),
      archive,
    },
    extensions: peers.extensions,
    peers,
    async close() {
      const closing = [
        // The sandbox's mail server takes the last emails.
        mail.close().finally(peers.stop),
        meter.close(),
        refusals.close(),
        keys.close(),
        limiter.close(),
        limits.close(),
        tracer?.close(),
        upstreams.close(),
        shop.close(),
        switches.close(),
        prices.close(),
      ]
      published.close()
      pressure.close()
      const closed = await Promise.allSettled(closing)
      placement.close()
      await Promise.all([everywhere.close(), listener.close(), db.close()])
      const failed = closed.find((one) => one.status === 'rejected')
      if (failed) throw failed.reason
    },
  }
}

/** Loaded only here: with payments off, nothing of them is. */
async function payingWith(deps: Pick<Deps, 'config' | 'db' | 'limits' | 'log' | 'secrets'>): Promise<Deps['payments']> {
  const { openPayments } = await import('./features/agent-payments/open-payments.ts')
  return openPayments(deps)
}

/** On connections of its own: only a migrated database says which buckets there are. */
async function prepareDatabase(config: Config, databaseUrl: string, log: Logger): Promise<void> {
  const db = openDatabase(databaseUrl, 2, (error) => log.warn({ error: error.message }, 'database connection lost'))
  try {
    await (config.MIGRATE === 'on'
      ? migrate(db, { buckets: config.METER_BUCKETS, say: (line) => log.warn(line) })
      : requireMigrated(db))
  } finally {
    await db.close()
  }
}
