import { Redis } from 'ioredis'
import Stripe from 'stripe'
import { z } from 'zod'
import type { Config } from '../../config/config.ts'
import { createStripeAccess } from '../../features/billing/stripe/client.ts'
import { publishedPlace } from '../../features/datasets/published-place.ts'
import { versionStore } from '../../features/datasets/version-store.ts'
import { BucketAway } from '../../net/s3-bucket.ts'
import type { Report } from './report.ts'

const TIMEOUT_MS = 10_000

/** Asks every service that the configuration names whether it answers, and accepts our credentials. */
export async function checkPeers(config: Config, report: Report): Promise<void> {
  const { google, github } = config.providers
  const peers: [name: string, set: boolean, ask: () => Promise<void>, otherwise: string][] = [
    ['mail server', config.SMTP_URL !== undefined, () => askMailServer(config.SMTP_URL!), ''],
    ['Redis', config.REDIS_URL !== undefined, () => askRedis(config.REDIS_URL!), 'each server counts limits alone'],
    ['Google', google !== null && !google.sandbox, () => askGoogle(google!, config.PUBLIC_URL), ''],
    ['GitHub', github !== null && !github.sandbox, () => askGitHub(github!, config.PUBLIC_URL), ''],
    ['sign-in service', config.AUTH_URL !== undefined, () => askAuthService(config), ''],
    ['Stripe', config.STRIPE_SECRET_KEY !== undefined, () => askStripe(config), 'only the free plan is offered'],
    ['bucket of DATA_URL', config.DATA_URL !== undefined, () => askBucket(config), ''],
  ]
  for (const [name, set, ask, otherwise] of peers) {
    if (set)
      await ask().then(
        () => report.ok(`${name} answers`),
        (error: unknown) => report.wrong(`${name}: ${faultOf(error)}`),
      )
    else if (otherwise) report.note(`${name} is not set: ${otherwise}`)
  }
}

/** A failure in our own words, which name settings and no values. */
class Fault extends Error {}

/** Other texts may quote addresses and credentials, so of them only the code is printed. */
function faultOf(error: unknown): string {
  if (error instanceof Fault) return error.message
  const { code, cause, statusCode, name } = error as Partial<Record<'code' | 'name', string>> & {
    cause?: { code?: string }
    statusCode?: number
  }
  return `does not answer as it should (${code ?? cause?.code ?? statusCode ?? name}). Check its address, and that this machine may connect to it.`
}

async function askMailServer(url: string): Promise<void> {
  const limits = { connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS }
  const { default: nodemailer } = await import('nodemailer')
  const transport = nodemailer.createTransport({ url, ...limits })
  try {
    await transport.verify()
  } catch (error) {
    if ((error as { code?: string }).code === 'EAUTH')
      throw new Fault('it refuses the user name or password in SMTP_URL.')
    throw error
  } finally {
    transport.close()
  }
}

async function askBucket(config: Config): Promise<void> {
  try {
    await versionStore(publishedPlace(config)).served()
  } catch (error) {
    if (error instanceof BucketAway) throw new Fault(`it does not answer at AWS_ENDPOINT_URL_S3, or in AWS_REGION.`)
    const status = /: (\d{3} ?\w*)$/.exec((error as Error).message)?.[1]
    throw new Fault(`it refuses AWS_ACCESS_KEY_ID or has no such bucket (${status ?? 'no reason given'}).`)
  }
}

async function askRedis(url: string): Promise<void> {
  const redis = new Redis(url, { lazyConnect: true, retryStrategy: () => null, connectTimeout: TIMEOUT_MS })
  let reason: Error | undefined
  redis.on('error', (error) => {
    reason = error
  })
  try {
    await redis.connect()
    await redis.ping()
  } catch (error) {
    if (/WRONGPASS|NOAUTH|NOPERM/.test(`${reason?.message} ${(error as Error).message}`))
      throw new Fault('it refuses the user name or password in REDIS_URL.')
    throw reason ?? error
  } finally {
    redis.disconnect()
  }
}

type Client = NonNullable<Config['providers']['google']>

async function askGoogle(client: Client, publicUrl: string): Promise<void> {
  const response = await ask(`${client.url}/.well-known/openid-configuration`)
  const found = z.object({ issuer: z.string(), token_endpoint: z.url() }).safeParse(await read(response))
  if (!found.success || found.data.issuer !== client.url)
    throw new Fault('GOOGLE_URL is not the issuer of an OpenID provider.')
  await askForToken(found.data.token_endpoint, client, publicUrl, 'GOOGLE')
}

const askGitHub = (client: Client, publicUrl: string) =>
  askForToken(`${client.url}/login/oauth/access_token`, client, publicUrl, 'GITHUB')

/** Redeems a code that does not exist: the provider checks the client first, and says which of the two it refuses. */
async function askForToken(endpoint: string, client: Client, publicUrl: string, prefix: string): Promise<void> {
  const response = await ask(endpoint, {
    method: 'POST',
    headers: { accept: 'application/json' },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code: 'doctor',
      client_id: client.clientId,
      client_secret: client.clientSecret,
      redirect_uri: `${publicUrl}/auth/v1/callback`,
    }),
  })
  const answer = z.object({ error: z.string() }).safeParse(await read(response))
  if (answer.data?.error === 'invalid_grant' || answer.data?.error === 'bad_verification_code') return
  if (answer.data?.error === 'redirect_uri_mismatch')
    throw new Fault('register PUBLIC_URL/auth/v1/callback as a callback of the client.')
  throw new Fault(
    `it does not accept the client: check ${prefix}_CLIENT_ID, ${prefix}_CLIENT_SECRET and ${prefix}_URL.`,
  )
}

async function askAuthService({ AUTH_URL, AUTH_JWKS_URL, AUTH_ANON_KEY = '' }: Config): Promise<void> {
  const response = await ask(AUTH_JWKS_URL ?? `${AUTH_URL}/auth/v1/.well-known/jwks.json`, {
    headers: { apikey: AUTH_ANON_KEY },
  })
  if (!z.object({ keys: z.array(z.unknown()) }).safeParse(await read(response)).success)
    throw new Fault('it publishes no keys: check AUTH_URL, AUTH_ANON_KEY and AUTH_JWKS_URL.')
}

async function askStripe(config: Config): Promise<void> {
  const access = createStripeAccess(config, null)
  if (!access) throw new Fault('STRIPE_WEBHOOK_SECRET is missing.')
  try {
    await access.client.products.list({ limit: 1 })
  } catch (error) {
    if (error instanceof Stripe.errors.StripeAuthenticationError)
      throw new Fault('it refuses STRIPE_SECRET_KEY: was the key deleted, or is it of another account?')
    if (error instanceof Stripe.errors.StripePermissionError)
      throw new Fault('STRIPE_SECRET_KEY may not read products: see docs/operations/stripe.md for what it needs.')
    throw error
  }
}

const ask = (url: string, init: RequestInit = {}): Promise<Response> =>
  fetch(url, { redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS), ...init })

const read = (response: Response): Promise<unknown> => response.json().catch(() => null)
