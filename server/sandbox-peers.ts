import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { Mailbox } from '#sandbox/mail/mailbox.ts'
import type { StripeSandbox } from '#sandbox/stripe/sandbox.ts'
import type { Extension } from './app.ts'
import type { Config } from './config/config.ts'
import { DatabaseClient } from './db/client.ts'
import type { StripePeer } from './features/billing/stripe/client.ts'
import { guardSandbox } from './http/guard-sandbox.ts'
import type { Secrets } from './secrets/secrets.ts'

interface Needs {
  config: Config
  databaseUrl: string
  secrets: Secrets
  log: Logger
  /** What the pages call the installation. */
  shopName: () => string
  /** How often the Stripe sandbox looks for due work; 0: only on request, for tests and commands. */
  tickMs?: number
}

/** The local peers that replace external services; the product reaches each by its real protocol. */
export interface SandboxPeers {
  extensions: Extension[]
  /** Null if a mail server is set up, or the sandbox is off. */
  mail: { smtpUrl: string; mailbox: Mailbox } | null
  /** Null if Stripe itself is set up, or the sandbox is off. */
  stripe: (StripePeer & { sandbox: StripeSandbox }) | null
  stop: () => Promise<void>
}

/**
 * Starts the configured peers. No other file of the product knows them, and each is loaded only where it is used: their
 * packages would cost a production server memory.
 */
export async function startSandboxPeers(needs: Needs): Promise<SandboxPeers> {
  const { config, shopName } = needs
  const mail = config.sandbox && !config.SMTP_URL ? await startMail() : null
  const stripe = config.sandbox && !config.STRIPE_SECRET_KEY ? await startStripe(needs) : null
  return {
    extensions: [
      (app) => guardSandbox(app, config),
      ...identity(config, shopName),
      ...(mail ? [mailboxPage(config, mail.mailbox, shopName)] : []),
      ...(stripe ? [stripe.extension] : []),
    ],
    mail,
    stripe: stripe && { fetch: stripe.sandbox.fetch, webhookSecret: stripe.webhookSecret, sandbox: stripe.sandbox },
    stop: async () => {
      await stripe?.sandbox.stop()
      await mail?.close()
    },
  }
}

function identity(config: Config, appName: () => string): Extension[] {
  const peer = [config.providers.google, config.providers.github].find((provider) => provider?.sandbox)
  if (!peer) return []
  const { clientId, clientSecret } = peer
  const callbackUrl = `${config.PUBLIC_URL}/auth/v1/callback`
  return [
    async (app) => {
      const { registerSandboxIdentity } = await import('#sandbox/identity/register.ts')
      await registerSandboxIdentity(app, { publicUrl: config.PUBLIC_URL, clientId, clientSecret, callbackUrl, appName })
    },
  ]
}

async function startMail() {
  const { startSandboxMail } = await import('#sandbox/mail/start-mail.ts')
  return startSandboxMail()
}

const mailboxPage =
  ({ PUBLIC_URL }: Config, mailbox: Mailbox, appName: () => string): Extension =>
  async (app) => {
    const { registerSandboxMail } = await import('#sandbox/mail/register.ts')
    await registerSandboxMail(app, { mailbox, publicUrl: PUBLIC_URL, appName })
  }

/** Its events are signed and go through the webhook route like Stripe's; they wait until the server is up. */
async function startStripe({ config, databaseUrl, secrets, log, shopName, tickMs }: Needs) {
  const webhookSecret = `whsec_${secrets.derive('stripe-sandbox-webhook').toString('hex')}`
  let receiver: FastifyInstance | undefined
  const { createStripeSandbox } = await import('#sandbox/stripe/sandbox.ts')
  const sandbox = await createStripeSandbox({
    connectionString: databaseUrl,
    Client: DatabaseClient,
    publicUrl: config.PUBLIC_URL,
    sellerName: shopName,
    webhookSecret,
    ...(tickMs !== undefined && { tickMs }),
    deliver: async (payload, signature) => {
      const headers = { 'content-type': 'application/json', 'stripe-signature': signature }
      const answer = await receiver?.inject({ method: 'POST', url: '/webhooks/stripe', payload, headers })
      return answer?.statusCode ?? 503
    },
    onError: (error) => log.warn({ error: error instanceof Error ? error.message : 'unknown' }, 'Stripe sandbox'),
  })
  const extension: Extension = async (app) => {
    await app.register(sandbox.routes)
    app.addHook('onReady', async () => {
      receiver = app
    })
    app.addHook('onClose', async () => {
      receiver = undefined
    })
  }
  return { sandbox, webhookSecret, extension }
}

/** Stands in for the public sources of data, for `npm run data -- fetch NAME --sandbox`. */
export async function startSources(answers: string | null) {
  const { startSandboxSources } = await import('#sandbox/sources/start-sources.ts')
  return startSandboxSources({ answers })
}
