import Fastify, { type FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { registerSandboxIdentity, type SandboxIdentityOptions } from '#sandbox/identity/register.ts'
import type { Mailbox } from '#sandbox/mail/mailbox.ts'
import { startSandboxMail } from '#sandbox/mail/start-mail.ts'
import type { Config } from '../../../config/config.ts'
import { type Database, openDatabase } from '../../../db/database.ts'
import { freePort } from '../../../db/embedded.ts'
import { createListener } from '../../../db/listen.ts'
import type { Deps } from '../../../deps.ts'
import { registerLimits } from '../../../http/limits/enforce.ts'
import { createLimits } from '../../../http/limits/limits.ts'
import { createMailer } from '../../../mail/send-mail.ts'
import { createSecrets } from '../../../secrets/secrets.ts'
import { createTestDatabase, testConfig } from '../../../testing/harness.ts'
import { unnamedShop } from '../../shop/shop.ts'
import { registerAuth } from '../routes.ts'
import type { AccessTokens } from '../tokens/access-claims.ts'
import { createAccessTokens } from '../tokens/access-tokens.ts'

export interface AuthServer {
  url: string
  app: FastifyInstance
  config: Config
  db: Database
  databaseUrl: string
  accessTokens: AccessTokens
  /** Every line that was logged, at every level. */
  logged: string[]
  /** What was mailed; null without the sandbox. */
  mailbox: Mailbox | null
  /** Moves the clock of all rules in SQL by an interval, such as '11 seconds'. */
  moveClock: (interval: string) => Promise<void>
  close: () => Promise<void>
}

interface Options {
  env?: NodeJS.ProcessEnv
  identity?: Partial<SandboxIdentityOptions>
  /** The database of another server, for a second instance. */
  databaseUrl?: string
}

/** The auth service and its sandbox peers alone, listening, on a database of their own, with every log line kept. */
export async function startAuthServer({ env, identity, databaseUrl }: Options = {}): Promise<AuthServer> {
  const own = databaseUrl ? null : await createTestDatabase()
  const port = await freePort()
  const config = testConfig(databaseUrl ?? own!.url, port, {
    AUTH_RATE_LIMITS: 'off',
    AUTH_PASSWORD_SIGNUP: 'on',
    ...env,
  })
  const db = own?.db ?? openDatabase(databaseUrl!, 10, () => {})
  const logged: string[] = []
  const log = pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) })
  const secrets = createSecrets('ab'.repeat(32))
  const accessTokens = await createAccessTokens({ config, db, secrets, log })
  const peer = config.sandbox ? await startSandboxMail() : null
  const listener = await createListener(databaseUrl ?? own!.url, log)
  const shop = { current: () => unnamedShop(config) }
  const mail = createMailer({
    config,
    shop,
    sandboxSmtpUrl: peer?.smtpUrl ?? null,
    db,
    listener,
    secrets,
    log,
  })
  const app = Fastify({ exposeHeadRoutes: false, trustProxy: config.trustProxy.length > 0 ? config.trustProxy : false })
  const url = `http://localhost:${port}`
  await registerSandboxIdentity(app, {
    publicUrl: url,
    clientId: 'finmeter-sandbox',
    clientSecret: 'finmeter-sandbox-secret',
    callbackUrl: `${config.PUBLIC_URL}/auth/v1/callback`,
    ...identity,
  })
  const limits = createLimits(config)
  registerLimits(app, limits)
  await registerAuth(app, { config, db, limits, log, mail, secrets, shop, accessTokens } as unknown as Deps)
  await app.listen({ port, host: '127.0.0.1' })
  return {
    url,
    app,
    config,
    db,
    databaseUrl: databaseUrl ?? own!.url,
    accessTokens,
    logged,
    mailbox: peer?.mailbox ?? null,
    async moveClock(interval) {
      await db.pool.query(
        `insert into app_clock (offset_by) values ($1) on conflict (only_row) do update set offset_by = app_clock.offset_by + $1`,
        [interval],
      )
    },
    async close() {
      await app.close()
      await limits.close()
      await mail.close()
      await listener.close()
      await peer?.close()
      await (own ? own.drop() : db.close())
    },
  }
}
