import { join } from 'node:path'
import type { Config } from './config.ts'
import { openDatabase } from './db/database.ts'
import { createListener } from './db/listen.ts'
import { migrate } from './db/migrate.ts'
import type { Deps } from './deps.ts'
import { createAccessTokens } from './features/auth/access-tokens.ts'
import { createKeyVerifier } from './features/keys/verify.ts'
import { loadMarketData } from './features/market-data/market-data.ts'
import { marketDataTools } from './features/market-data/tools.ts'
import { createMeter } from './features/metering/create-meter.ts'
import { createRateLimiter } from './features/metering/rate-limiter.ts'
import { basicTools } from './features/tools/basic/basic-tools.ts'
import { createToolRegistry } from './features/tools/registry.ts'
import { createLog } from './log.ts'
import { createSecrets, localSecrets } from './secrets.ts'

export interface Composition {
  deps: Deps
  /** Ends what composing began, in reverse: the meter drains before its database closes. */
  close: () => Promise<void>
}

const demoDataDir = join(import.meta.dirname, '../data/demo')

/** Migrates the database at `databaseUrl` and makes everything that `buildApp` needs. Throws when any of it fails. */
export async function compose(config: Config, databaseUrl: string): Promise<Composition> {
  const log = createLog(config)
  const db = openDatabase(databaseUrl, config.DATABASE_POOL_SIZE, (error) =>
    log.warn({ error: error.message }, 'database connection lost'),
  )
  await migrate(db)
  const secrets = createSecrets(config.KEYS_SECRET ?? localSecrets(config).keysSecret)
  const listener = await createListener(databaseUrl, log)
  const limiter = await createRateLimiter({ config, log })
  const [accessTokens, market] = await Promise.all([
    createAccessTokens({ config, db, secrets, log }),
    loadMarketData({ dir: demoDataDir, demoPrices: config.DEMO_PRICES === 'on' }),
  ])
  const tools = await createToolRegistry([...basicTools, ...marketDataTools], db)
  const keys = createKeyVerifier({ db, listener, log })
  const meter = createMeter({ config, db, listener, limiter, log })
  return {
    deps: { config, db, listener, log, secrets, accessTokens, keys, limiter, meter, market, tools },
    async close() {
      await meter.close()
      keys.close()
      await limiter.close()
      await listener.close()
      await db.close()
    },
  }
}
