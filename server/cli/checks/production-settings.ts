import type { Config } from '../../config/config.ts'
import { isLoopback, isPlaceholder } from '../../config/problems.ts'
import type { Report } from './report.ts'

/** Where secrets or sign-ins travel. Within this machine, http is as good. */
const CARRY_SECRETS = [
  'AUTH_URL',
  'AUTH_JWKS_URL',
  'AUTH_SMS_URL',
  'GOOGLE_URL',
  'GITHUB_URL',
  'STRIPE_URL',
  'CHAT_MODEL_URL',
] as const
const ADDRESSES = [
  ...CARRY_SECRETS,
  'SMTP_URL',
  'REDIS_URL',
  'DOCS_URL',
  'PRICING_URL',
  'TOOLS_DOCS_URL',
  'SALES_URL',
] as const

/** What a server in production may start with, but hardly should serve with. `env` is what was given. */
export function checkSettings(config: Config, env: NodeJS.ProcessEnv, report: Report): void {
  const check = (good: boolean, name: string, problem: string) =>
    good ? report.ok(name) : report.wrong(`${name}: ${problem}`)

  check(env.NODE_ENV === 'production', 'mode', 'NODE_ENV is not production: set NODE_ENV=production.')
  check(
    !isLoopback(new URL(config.PUBLIC_URL).hostname),
    'public address',
    'PUBLIC_URL is this machine, which nobody else can open: set the address that people use.',
  )
  check(
    config.AUTH_RATE_LIMITS === 'on',
    'limits',
    'AUTH_RATE_LIMITS is off, so passwords and codes can be guessed: remove it.',
  )
  check(
    config.AUTH_AUTOCONFIRM === 'off',
    'confirmed addresses',
    'AUTH_AUTOCONFIRM is on, so anyone can sign up with the address of somebody else: remove it.',
  )
  check(
    config.SMTP_URL !== undefined,
    'mail',
    'SMTP_URL is missing, so there are no invitations, alerts and recovery: set it.',
  )
  const plain = CARRY_SECRETS.filter((name) => {
    const { protocol, hostname } = new URL(config[name] ?? 'https://unset')
    return protocol === 'http:' && !isLoopback(hostname)
  })
  check(plain.length === 0, 'encrypted connections', `${plain.join(', ')}: use an https address.`)
  const copied = [
    ...ADDRESSES.filter((name) => config[name] && isPlaceholder(new URL(config[name]).hostname)),
    ...(['SUPPORT_EMAIL', 'MAIL_FROM'] as const).filter((name) =>
      isPlaceholder((config[name] ?? '').replace(/>$/, '').split('@').at(-1) ?? ''),
    ),
  ]
  check(copied.length === 0, 'addresses', `${copied.join(', ')}: replace the placeholder with your own.`)
}
