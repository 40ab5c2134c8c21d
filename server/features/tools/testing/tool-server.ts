import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { buildApp } from '../../../app.ts'
import { compose } from '../../../compose.ts'
import type { Database } from '../../../db/database.ts'
import { freePort } from '../../../db/embedded.ts'
import type { Deps } from '../../../deps.ts'
import { insertAccount, insertKey, type TestKey } from '../../../testing/factories.ts'
import { createTestDatabase, testConfig } from '../../../testing/harness.ts'
import { grantCredits } from '../../credits/grant.ts'
import { checkInvariants } from '../../metering/invariants.ts'
import { basicTools } from '../basic/basic-tools.ts'
import type { Tool } from '../define-tool.ts'
import { createToolRegistry } from '../registry.ts'
import { testTools } from './test-tools.ts'

export interface Spending {
  rows: number
  failedRows: number
  credits: number
}

export interface ToolServer {
  url: string
  app: FastifyInstance
  deps: Deps
  db: Database
  databaseUrl: string
  /** A key of a new account. `rateLimit` is per minute; 0, the default here, lifts it. */
  key: (options?: { credits?: number; rateLimit?: number; prefix?: string }) => Promise<TestKey>
  /** Usage rows of the account and their credits, read from the tables. */
  spending: (accountId: number) => Promise<Spending>
  invariants: () => Promise<unknown[]>
  close: () => Promise<void>
}

/**
 * The whole product with `tools` (default: the basic ones and the tests' own) listening on a free port. `logged` gets every line that
 * requests write to the log.
 */
export async function startToolServer(
  tools: Tool[] = [...basicTools, ...testTools],
  env: NodeJS.ProcessEnv = {},
  logged?: string[],
): Promise<ToolServer> {
  const own = await createTestDatabase()
  // What a test does in this process, such as an import on a busy machine, is no overload of the server.
  const config = testConfig(own.url, await freePort(), { LOG_LEVEL: 'silent', SHED_EVENT_LOOP_MS: '60000', ...env })
  const composition = await compose(config, own.url)
  const log = logged ? pino({ level: 'info' }, { write: (line) => void logged.push(line) }) : composition.deps.log
  const deps = { ...composition.deps, log, tools: await createToolRegistry(tools, composition.deps.db) }
  const app = await buildApp(deps)
  await app.listen({ port: config.PORT, host: '127.0.0.1' })
  const { db } = deps
  return {
    url: `http://localhost:${config.PORT}`,
    app,
    deps,
    db,
    databaseUrl: own.url,
    async key({ credits = 0, rateLimit = 0, prefix } = {}) {
      const accountId = await insertAccount(db)
      await db.pool.query('update accounts set rate_limit_per_minute = $2 where id = $1', [accountId, rateLimit])
      if (credits > 0) {
        await db.kysely.transaction().execute((tx) =>
          grantCredits(tx, {
            accountId,
            kind: 'promo',
            amount: credits,
            sourceType: 'test',
            sourceId: String(accountId),
          }),
        )
      }
      return insertKey(db, accountId, prefix)
    },
    async spending(accountId) {
      const { rows } = await db.pool.query<Spending>(
        `select count(*) as rows, count(*) filter (where not success) as "failedRows",
           coalesce(sum(from_credits + from_payg), 0)::bigint as credits from usage_events where account_id = $1`,
        [accountId],
      )
      return rows[0]!
    },
    invariants: () => checkInvariants(db),
    async close() {
      await app.close()
      await composition.close()
      await own.drop()
    },
  }
}
