import { isIP } from 'node:net'
import proxyAddress from '@fastify/proxy-addr'
import { HostsError, readHosts } from '../db/hosts.ts'
import { isPublicAddress } from '../net/addresses.ts'
import type { Config } from './config.ts'
import { readJwtKeys } from './jwt-keys.ts'
import { paymentProblems } from './payment-settings.ts'
import { isWeakSecret } from './weak-secret.ts'

type Given = Record<string, unknown>
type Hint = (name: 'DATABASE_URL' | 'KEYS_SECRET' | 'PUBLIC_URL') => string

/** It stands in pages, commands and programs that people copy: nothing but a scheme, a host and a port. */
const PLAIN_ORIGIN = /^https?:\/\/[\p{L}\p{M}\p{N}._:[\]-]+$/iu

/** Everything that stops a start with this configuration, a sentence each, with the way forward and without values. */
export function findProblems(config: Config, given: Given, hint: Hint): string[] {
  const { hostname } = new URL(config.PUBLIC_URL)
  const problems = [
    ...(PLAIN_ORIGIN.test(config.PUBLIC_URL) ? [] : [`PUBLIC_URL is not valid: expected ${hint('PUBLIC_URL')}.`]),
    ...databaseProblems(config),
    ...pairProblems(given),
    ...stripeProblems(config),
    ...secretProblems(config),
    ...jwtKeyProblems(config),
    ...proxyProblems(config),
    ...stopProblems(config),
    ...archiveProblems(config),
    ...dataBucketProblems(config),
    ...workerProblems(config),
    ...paymentProblems(config),
    ...(config.production ? productionProblems(config, given, hint) : []),
  ]
  // A server that strangers reach is as exposed as in production, however NODE_ENV calls it.
  if (config.production || (config.NODE_ENV !== 'test' && isPublicHost(hostname)))
    problems.push(...exposed(config, given))
  if (!config.sandbox || config.production || given.SANDBOX === 'on') return problems
  if (!isLoopback(config.HOST))
    problems.push(
      'HOST is not a loopback address while the sandbox peers are on: set SANDBOX=off, or SANDBOX=on if you mean it.',
    )
  if (!isLoopback(hostname))
    problems.push(
      'PUBLIC_URL is not this machine while the sandbox peers are on, and they let anyone sign in as anyone: set NODE_ENV=production or SANDBOX=off, or SANDBOX=on for a public trial.',
    )
  return problems
}

export const isLoopback = (host: string): boolean => /^(127\.\d+\.\d+\.\d+|localhost|::1|\[::1\])$/.test(host)

/** Domains that are reserved for examples and tests (RFC 2606): copied, not chosen. */
export const isPlaceholder = (host: string): boolean =>
  /(^|\.)(example\.(com|net|org)|example|test|invalid)$/.test(host.toLowerCase())

/** Whether strangers may reach the host of a URL: a public address, or a name with a dot. */
function isPublicHost(hostname: string): boolean {
  const address = hostname.replace(/^\[|\]$/g, '')
  if (isIP(address)) return isPublicAddress(address)
  return address.includes('.') && !/\.(localhost|local|internal|home\.arpa)$/.test(address)
}

function databaseProblems({ DATABASE_URL = '' }: Config): string[] {
  try {
    readHosts(DATABASE_URL)
    return []
  } catch (error) {
    if (error instanceof HostsError) return [error.message]
    throw error
  }
}

const PAIRS = [
  ['GOOGLE_CLIENT_ID', 'GOOGLE_CLIENT_SECRET'],
  ['GITHUB_CLIENT_ID', 'GITHUB_CLIENT_SECRET'],
  ['AUTH_URL', 'AUTH_ANON_KEY'],
  ['AUTH_SMS_URL', 'AUTH_SMS_SECRET'],
  ['CHAT_MODEL_URL', 'CHAT_MODEL'],
] as const

function pairProblems(given: Given): string[] {
  return PAIRS.filter(([one, other]) => Boolean(given[one]) !== Boolean(given[other])).map(
    ([one, other]) => `${one} and ${other} go together: set both or neither.`,
  )
}

/** Live keys are accepted only where everything else is real too. */
function stripeProblems({ NODE_ENV, sandbox, ...config }: Config): string[] {
  const { STRIPE_SECRET_KEY: key, STRIPE_WEBHOOK_SECRET: secret, STRIPE_URL: address } = config
  const problems: string[] = []
  if (Boolean(key) !== Boolean(secret))
    problems.push('STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET go together: set both or neither.')
  if (!key || !/^[sr]k_live_/.test(key)) return problems
  const live = 'STRIPE_SECRET_KEY is a live key: '
  if (NODE_ENV === 'test') problems.push(`${live}tests may only use a test key.`)
  if (NODE_ENV === 'development') problems.push(`${live}set NODE_ENV=production, or use a test key.`)
  if (sandbox && NODE_ENV === 'production')
    problems.push(`${live}set SANDBOX=off, since the sandbox lets anyone sign in as anyone.`)
  if (address?.startsWith('http:')) problems.push(`${live}STRIPE_URL must be an https address.`)
  return problems
}

function archiveProblems({ USAGE_ARCHIVE: place, USAGE_HOT_DAYS: days, ...config }: Config): string[] {
  if (place === undefined)
    return days === undefined
      ? []
      : ['USAGE_HOT_DAYS needs USAGE_ARCHIVE: set the folder or bucket that older days go to.']
  if (!/^https?:/.test(place) || (config.USAGE_ARCHIVE_S3_KEY_ID && config.USAGE_ARCHIVE_S3_SECRET)) return []
  return ['USAGE_ARCHIVE is a bucket of S3: set USAGE_ARCHIVE_S3_KEY_ID and USAGE_ARCHIVE_S3_SECRET.']
}

function dataBucketProblems({ DATA_URL, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY }: Config): string[] {
  if (!DATA_URL || (AWS_ACCESS_KEY_ID && AWS_SECRET_ACCESS_KEY)) return []
  return ['DATA_URL is a bucket of S3: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.']
}

function secretProblems({ KEYS_SECRET: present, KEYS_SECRET_PREVIOUS: previous }: Config): string[] {
  if (!previous) return []
  if (!present) return ['KEYS_SECRET_PREVIOUS needs KEYS_SECRET: set the secret that replaces it.']
  return previous.toLowerCase() === present.toLowerCase()
    ? ['KEYS_SECRET_PREVIOUS is the same as KEYS_SECRET: remove it, or set the new secret as KEYS_SECRET.']
    : []
}

function jwtKeyProblems({ AUTH_JWT_KEYS: keys }: Config): string[] {
  if (!keys) return []
  try {
    readJwtKeys(keys)
    return []
  } catch (error) {
    return [(error as Error).message]
  }
}

function proxyProblems({ trustProxy }: Config): string[] {
  // The library cannot read them, and they mean what no installation may want.
  if (trustProxy.some((range) => range.endsWith('/0'))) return [TRUSTS_EVERYONE]
  try {
    proxyAddress.compile(trustProxy)
    return []
  } catch {
    return ['TRUST_PROXY is not valid: expected addresses or CIDR ranges, separated by commas.']
  }
}

function stopProblems({ DRAIN_SECONDS: drain, SHUTDOWN_SECONDS: shutdown }: Config): string[] {
  return drain < shutdown ? [] : [`DRAIN_SECONDS is part of SHUTDOWN_SECONDS (${shutdown}): set fewer than that.`]
}

/** What processes that share a port may not each have alone. */
function workerProblems({ WORKERS, DATABASE_URL, REDIS_URL, sandbox }: Config): string[] {
  if (WORKERS === 1) return []
  return [
    ...(DATABASE_URL && DATABASE_URL !== 'embedded'
      ? []
      : ['WORKERS above 1 needs a PostgreSQL server that runs by itself: set DATABASE_URL.']),
    ...(REDIS_URL ? [] : ['WORKERS above 1 needs a shared count of requests: set REDIS_URL.']),
    ...(sandbox ? ['WORKERS above 1 needs SANDBOX=off: the sandbox keeps what it holds in one process.'] : []),
  ]
}

function productionProblems({ sandbox, MCP_TEST_PROFILE }: Config, given: Given, hint: Hint): string[] {
  const problems: string[] = []
  for (const name of ['DATABASE_URL', 'KEYS_SECRET', 'PUBLIC_URL'] as const)
    if (!given[name]) problems.push(`${name} is missing: production needs ${hint(name)}.`)
  if (MCP_TEST_PROFILE !== 'off') problems.push('MCP_TEST_PROFILE is for tests and not allowed in production.')
  if (sandbox)
    problems.push(
      'SANDBOX is on, and lets anyone sign in as anyone: remove it. A public trial runs without NODE_ENV=production.',
    )
  if (!given.GOOGLE_CLIENT_ID && !given.GITHUB_CLIENT_ID && !given.AUTH_URL)
    problems.push('No sign-in provider: set GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET, or the GITHUB_ pair.')
  return problems
}

const TRUSTS_EVERYONE =
  'TRUST_PROXY trusts everyone, so anyone could choose the address that limits count: name only your own proxies.'
/** Far apart, and in no network of a proxy or content delivery service. */
const STRANGERS = ['8.8.8.8', '77.88.8.8', '193.0.0.1', '2001:4860:4860::8888', '2a02:6b8::feed']

/** What would let strangers in: an address that can be read or forged on the way, or a secret that can be guessed. */
function exposed({ KEYS_SECRET: secret, PUBLIC_URL, trustProxy }: Config, given: Given): string[] {
  const problems: string[] = []
  const { protocol, hostname } = new URL(PUBLIC_URL)
  if (secret && isWeakSecret(secret))
    problems.push('KEYS_SECRET can be guessed, since its bytes are not random: make one with: openssl rand -hex 32.')
  if (given.PUBLIC_URL && protocol === 'http:')
    problems.push('PUBLIC_URL is not https, so passwords and keys could be read on the way: set an https address.')
  if (isPlaceholder(hostname))
    problems.push('PUBLIC_URL is a placeholder: set the address at which people reach this server.')
  if (trustsStrangers(trustProxy)) problems.push(TRUSTS_EVERYONE)
  return problems
}

function trustsStrangers(trustProxy: string[]): boolean {
  try {
    const trusts = proxyAddress.compile(trustProxy)
    return STRANGERS.some((address) => trusts(address, 0))
  } catch {
    return false
  }
}
