/**
 * The only place that reads the environment. `loadConfig` returns a complete, validated object or throws `ConfigError`,
 * whose message names every invalid variable and how to fix it. `.env.example` is generated from `settings` (npm run
 * env:example).
 */
import { z } from 'zod'
import { readNodeAddresses } from '../db/placement.ts'
import { authSettings } from './auth-settings.ts'
import { billingSettings } from './billing-settings.ts'
import { dataBucketSettings } from './data-bucket-settings.ts'
import { loadSettings } from './load-settings.ts'
import { observationSettings } from './observation-settings.ts'
import { operatorSettings } from './operator-settings.ts'
import { paymentSettings } from './payment-settings.ts'
import { playgroundSettings } from './playground-settings.ts'
import { findProblems, isLoopback } from './problems.ts'
import { flag, port, type Setting, setting, url } from './setting.ts'
import { usageArchiveSettings } from './usage-archive-settings.ts'
import { vendorSettings } from './vendor-settings.ts'

const keysSecret = z.string().regex(/^[0-9a-fA-F]{64}$/)
const emptyAsAbsent = (env: NodeJS.ProcessEnv) =>
  Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''))

/** Every variable that Finmeter reads: its rule, what it does, how to get a valid value, a sample. */
export const settings = {
  NODE_ENV: setting(
    z.enum(['development', 'production', 'test']).default('development'),
    'production requires secrets, a database and real providers.',
    'development, production or test',
    'development',
  ),
  PORT: setting(port.default(3000), 'Port that the server listens on.', 'a number from 0 to 65535', '3000'),
  HOST: setting(
    z.string().default('127.0.0.1'),
    'Address to bind. 0.0.0.0 for all interfaces.',
    'an IP address or host name',
    '127.0.0.1',
  ),
  MAX_CONNECTIONS: setting(
    z.coerce.number().int().min(1).max(1_000_000).default(10_000),
    'Most open connections to this process. Further ones get 503.',
    'a number from 1 to 1000000',
    '10000',
  ),
  WORKERS: setting(
    z.coerce.number().int().min(1).max(64).default(1),
    'Server processes that share PORT, for machines with more cores than one process uses. Above 1 it needs DATABASE_URL, REDIS_URL and SANDBOX=off; each process serves metrics on a port of its own, from METRICS_PORT on.',
    'a number from 1 to 64',
    '1',
  ),
  ...loadSettings,
  PUBLIC_URL: setting(
    url.optional(),
    'Address that browsers use. Every link and redirect is made from it, never from a request header. Default http://localhost:PORT.',
    'a URL such as https://api.example.com, without a path',
    'http://localhost:3000',
  ),
  TRUST_PROXY: setting(
    z.string().optional(),
    'Addresses or CIDR ranges of proxies whose X-Forwarded-For is trusted, separated by commas.',
    'for example 127.0.0.1,10.0.0.0/8',
  ),
  DATABASE_URL: setting(
    z.union([z.literal('embedded'), z.string().regex(/^postgres(ql)?:\/\//)]).optional(),
    'PostgreSQL 15 to 18, not through a transaction pooler. Of several hosts, such as a:5432,b:5432, the one that accepts writes is used. Absent or "embedded": an embedded server in FINMETER_DATA_DIR.',
    'postgres://user:password@host:5432/database, or embedded',
  ),
  DATABASE_NODES: setting(
    z
      .string()
      .refine((text) => readNodeAddresses(text) !== undefined)
      .optional(),
    'With Citus: how this server reaches the nodes, if not at the names and ports by which they know each other.',
    'name:port=postgres://user:password@host:5432/database, separated by commas',
  ),
  DATABASE_POOL_SIZE: setting(
    z.coerce.number().int().min(4).max(200).default(10),
    'Connections to PostgreSQL.',
    'a number from 4 to 200',
    '10',
  ),
  MIGRATE: setting(
    flag.default('on'),
    'Whether the server migrates the database when it starts. off: it exits if npm run migrate has not been run. See deploy/UPGRADING.md.',
    'on or off',
    'on',
  ),
  REDIS_URL: setting(
    z
      .string()
      .regex(/^rediss?:\/\//)
      .optional(),
    'Redis or Valkey that several instances share for rate limits. Absent: limits are counted in memory.',
    'redis://host:6379',
  ),
  FINMETER_DATA_DIR: setting(
    z.string().default('.finmeter'),
    'Where the embedded database and generated secrets live.',
    'a directory that this user may write',
    '.finmeter',
  ),
  KEYS_SECRET: setting(
    keysSecret.optional(),
    'Encrypts API keys and other secrets at rest. Absent outside production: generated once and stored in FINMETER_DATA_DIR.',
    '64 hexadecimal digits; make one with: openssl rand -hex 32',
  ),
  KEYS_SECRET_PREVIOUS: setting(
    keysSecret.optional(),
    'The KEYS_SECRET that was replaced: still decrypts, encrypts nothing new. Remove it when npm run doctor says so.',
    '64 hexadecimal digits',
  ),
  KEYS_REVEAL: setting(
    z.enum(['always', 'once']).default('always'),
    'always: a key can be shown again in the dashboard. once: only in the response that creates it.',
    'always or once',
    'always',
  ),
  ...authSettings,
  GOOGLE_CLIENT_ID: setting(
    z.string().optional(),
    'Google sign-in. Callback: PUBLIC_URL/auth/v1/callback',
    'the client id from the Google Cloud console',
  ),
  GOOGLE_CLIENT_SECRET: setting(z.string().optional(), 'Secret of the Google client.', 'the client secret from Google'),
  GOOGLE_URL: setting(
    url.optional(),
    'Issuer of the Google-compatible provider. Default https://accounts.google.com.',
    'an issuer URL',
  ),
  GITHUB_CLIENT_ID: setting(
    z.string().optional(),
    'GitHub sign-in. Callback: PUBLIC_URL/auth/v1/callback',
    'the client id of the GitHub OAuth app',
  ),
  GITHUB_CLIENT_SECRET: setting(
    z.string().optional(),
    'Secret of the GitHub OAuth app.',
    'the client secret of the GitHub OAuth app',
  ),
  GITHUB_URL: setting(url.optional(), 'GitHub or GitHub Enterprise. Default https://github.com.', 'a URL'),
  ...billingSettings,
  ...paymentSettings,
  SMTP_URL: setting(
    z
      .string()
      .regex(/^smtps?:\/\//)
      .optional(),
    'Mail server for sign-in mails, invitations, alerts and notices. Absent: the mailbox of the sandbox where SANDBOX is on; else no mail is sent.',
    'smtp://user:password@host:587 or smtps://user:password@host:465',
  ),
  MAIL_FROM: setting(
    z
      .string()
      .regex(/^[^<>\r\n]*<[^\s<>@]+@[^\s<>@]+>$|^[^\s<>@]+@[^\s<>@]+$/)
      .optional(),
    'Sender of mail. Default SUPPORT_EMAIL.',
    'an address such as Finmeter <billing@example.com>',
  ),
  MAIL_DKIM_SELECTOR: setting(
    z
      .string()
      .regex(/^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/i)
      .optional(),
    'The selector under which your mail provider signs mails (DKIM). Only npm run doctor uses it, to look for the key in DNS.',
    'a name such as s1',
  ),
  SANDBOX: setting(
    z.enum(['on', 'off']).optional(),
    'Local peers that imitate Google, GitHub, Stripe and a mail server, for development: anyone can sign in as anyone. Default: on outside production and for this machine only, off in production, where on is refused. on: also behind a proxy, for a public trial.',
    'on or off',
    'on',
  ),
  DEMO_PRICES: setting(
    flag.default('on'),
    'Whether the demo price history (redistribution: demo-only) is served.',
    'on or off',
    'on',
  ),
  DATA_MEMORY_MB: setting(
    z.coerce.number().int().min(8).max(1_000_000).default(256),
    'Memory for bars of published datasets in each process, in MB. Bars that are requested often stay in it; the others are read from disk.',
    'a number from 8 to 1000000',
    '256',
  ),
  DEMO_KEY: setting(
    flag.default('on'),
    'Whether the key "demo" may read open and demonstration data without an account, 30 calls a minute from each address.',
    'on or off',
    'on',
  ),
  METER_BUCKETS: setting(
    z.coerce.number().int().min(1).max(256).default(1),
    'Buckets that a new database begins with: schemas with the metering tables of their accounts. More can be added later. See docs/scaling.md.',
    'a number from 1 to 256',
    '1',
  ),
  METER_BATCHES: setting(
    z.coerce.number().int().min(1).max(8).default(2),
    'Group commits in flight at once: the next one begins beside another when 24 calls wait.',
    'a number from 1 to 8',
    '2',
  ),
  METER_BATCH_SIZE: setting(
    z.coerce.number().int().min(1).max(1000).default(256),
    'Maximum calls in one group commit.',
    'a number from 1 to 1000',
    '256',
  ),
  ...dataBucketSettings,
  ...vendorSettings,
  ...usageArchiveSettings,
  ...observationSettings,
  MCP_TEST_PROFILE: setting(
    z.enum(['on', 'sdk', 'off']).default('off'),
    'Adds the MCP conformance fixtures to /mcp. For tests only; refused in production. sdk: also turns the fast path off.',
    'on, sdk or off',
  ),
  ...playgroundSettings,
  ...operatorSettings,
  DOCS_URL: setting(
    url.optional(),
    'External documentation linked from header and sidebar. Default PUBLIC_URL/docs.',
    'a URL',
  ),
  PRICING_URL: setting(
    url.optional(),
    'External pricing page linked from the header. Default PUBLIC_URL/docs/pricing.',
    'a URL',
  ),
  TOOLS_DOCS_URL: setting(
    url.optional(),
    'External MCP tools page linked from the sidebar. Default PUBLIC_URL/docs/reference.',
    'a URL',
  ),
  SALES_URL: setting(url.optional(), 'Chat opened by Contact Sales.', 'a URL'),
  SUPPORT_EMAIL: setting(
    z.email().default('support@example.com'),
    'Address of the support links.',
    'an email address',
    'support@example.com',
  ),
  PRIVACY_FILE: setting(
    z.string().optional(),
    'Markdown file with your privacy policy. Absent: the default text.',
    'the path of a readable Markdown file',
  ),
  TERMS_FILE: setting(
    z.string().optional(),
    'Markdown file with your terms of service. Absent: the default text.',
    'the path of a readable Markdown file',
  ),
  SOURCE_URL: setting(
    url.default('https://github.com/finmeter/finmeter'),
    'Source code of this installation: the GitHub link in the footer, unless SOCIAL_GITHUB is set.',
    'a URL',
    'https://github.com/finmeter/finmeter',
  ),
  SOCIAL_GITHUB: setting(url.optional(), 'GitHub page in the footer; shown when set.', 'a URL'),
  SOCIAL_DISCORD: setting(url.optional(), 'Discord invitation in the footer; shown when set.', 'a URL'),
  SOCIAL_TELEGRAM: setting(url.optional(), 'Telegram group in the footer; shown when set.', 'a URL'),
  SOCIAL_REDDIT: setting(url.optional(), 'Reddit community in the footer; shown when set.', 'a URL'),
} satisfies Record<string, Setting>

type RawConfig = { [K in keyof typeof settings]: z.output<(typeof settings)[K]['schema']> }

export interface ProviderConfig {
  clientId: string
  clientSecret: string
  /** Google: the OIDC issuer. GitHub: the base URL. */
  url: string
  /** The peer in `sandbox/`, recognized by its own label on screen. */
  sandbox: boolean
  /** Where this server reaches the sandbox if PUBLIC_URL is public: behind a proxy, it may not reach its own public address. */
  localOrigin?: string
}

export interface Config extends Omit<RawConfig, 'PUBLIC_URL' | 'TRUST_PROXY'> {
  PUBLIC_URL: string
  production: boolean
  sandbox: boolean
  /** The sandbox is on because nothing says otherwise: a trial on one machine, which HOST and PUBLIC_URL must name. */
  sandboxByDefault: boolean
  trustProxy: string[]
  providers: { google: ProviderConfig | null; github: ProviderConfig | null }
}

/** Its message is for the operator: one line per invalid variable, with how to fix it. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

/** Reads and validates the environment. Throws `ConfigError` naming every problem at once. */
export function loadConfig(env: NodeJS.ProcessEnv): Config {
  const { config, problems } = readConfig(env)
  if (!config || problems.length > 0) throw new ConfigError(problems.join('\n'))
  return config
}

/** The configuration with all its problems, a sentence each. Null if a value cannot even be read. */
export function readConfig(env: NodeJS.ProcessEnv): { config: Config | null; problems: string[] } {
  const given = emptyAsAbsent(env)
  const unreadable: string[] = []
  const raw: Record<string, unknown> = {}
  for (const [name, { schema, hint }] of Object.entries(settings)) {
    const parsed = schema.safeParse(given[name])
    if (parsed.success) raw[name] = parsed.data
    else unreadable.push(`${name} is not valid: expected ${hint}.`)
  }
  if (unreadable.length > 0) return { config: null, problems: unreadable }
  const values = raw as RawConfig
  const production = values.NODE_ENV === 'production'
  const sandbox = values.SANDBOX ? values.SANDBOX === 'on' : !production
  const publicUrl = values.PUBLIC_URL ?? `http://localhost:${values.PORT}`
  const identity = { on: sandbox, url: `${publicUrl}/sandbox/identity`, localOrigin: localOrigin(values, publicUrl) }
  const config: Config = Object.freeze({
    ...values,
    PUBLIC_URL: publicUrl,
    production,
    sandbox,
    sandboxByDefault: sandbox && !values.SANDBOX,
    trustProxy: values.TRUST_PROXY?.split(',').map((part) => part.trim()) ?? [],
    providers: {
      google: provider(
        values.GOOGLE_CLIENT_ID,
        values.GOOGLE_CLIENT_SECRET,
        values.GOOGLE_URL,
        'https://accounts.google.com',
        identity,
        'google',
      ),
      github: provider(
        values.GITHUB_CLIENT_ID,
        values.GITHUB_CLIENT_SECRET,
        values.GITHUB_URL,
        'https://github.com',
        identity,
        'github',
      ),
    },
  })
  return { config, problems: findProblems(config, given, (name) => settings[name].hint) }
}

/** Client of the sandbox peers; public by design, they accept loopback callers only. */
const SANDBOX_CLIENT = { clientId: 'finmeter-sandbox', clientSecret: 'finmeter-sandbox-secret' }

function provider(
  id: string | undefined,
  secret: string | undefined,
  base: string | undefined,
  real: string,
  sandbox: { on: boolean; url: string; localOrigin: string | undefined },
  name: 'google' | 'github',
): ProviderConfig | null {
  if (id && secret) return { clientId: id, clientSecret: secret, url: base ?? real, sandbox: false }
  if (!sandbox.on) return null
  const { url, localOrigin } = sandbox
  return {
    ...SANDBOX_CLIENT,
    url: base ?? `${url}/${name}`,
    sandbox: true,
    ...(!base && localOrigin && { localOrigin }),
  }
}

/** This server's local origin, if PUBLIC_URL is not a loopback address. */
function localOrigin({ HOST, PORT }: Pick<RawConfig, 'HOST' | 'PORT'>, publicUrl: string): string | undefined {
  if (isLoopback(new URL(publicUrl).hostname)) return undefined
  const host = isLoopback(HOST) || HOST === '0.0.0.0' || HOST === '::' ? 'localhost' : HOST
  return `http://${host.includes(':') ? `[${host}]` : host}:${PORT}`
}
