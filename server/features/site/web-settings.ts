import type { Config } from '../../config/config.ts'
import { isNamed, type Shop, slugOf } from '../shop/shop.ts'
import type { Banner } from '../switches/switches.ts'

export interface SocialLink {
  id: 'github' | 'discord' | 'telegram' | 'reddit'
  name: string
  href: string
  network: string
  enabled: boolean
  tooltip: string
  openInNewTab: boolean
}

const networks = [
  ['github', 'GitHub', 'SOCIAL_GITHUB'],
  ['discord', 'Discord', 'SOCIAL_DISCORD'],
  ['telegram', 'Telegram', 'SOCIAL_TELEGRAM'],
  ['reddit', 'Reddit', 'SOCIAL_REDDIT'],
] as const

/** The configuration that the web gets at run time, so that one build serves any deployment. Nothing here is secret. */
export function webSettings(config: Config, shop: Shop, banner: Banner | null = null) {
  const docs = config.DOCS_URL ?? `${config.PUBLIC_URL}/docs`
  return {
    publicUrl: config.PUBLIC_URL,
    banner,
    shop: {
      // Part of each page, and so of its ETag.
      version: shop.version,
      named: isNamed(shop),
      // Whether `/` is the page for those who may install this software: nobody has named it, and nobody buys here yet.
      installers: !isNamed(shop) && !shop.customers,
      name: shop.name,
      slug: slugOf(shop),
      promise: shop.promise,
      logo: shop.logo?.path ?? null,
      logoDark: shop.logoDark?.path ?? null,
      poweredBy: shop.poweredBy,
      hasImprint: shop.pages.imprint !== undefined,
      ownFaq: shop.pages.faq !== undefined,
      timeZone: shop.timeZone,
      // Whether the demonstration is for sale.
      demo: shop.builtins === 'on',
    },
    sandbox: config.sandbox,
    // Mail goes to the sandbox's mailbox, which is a page of this server.
    mailbox: config.sandbox && !config.SMTP_URL,
    // A trial on one machine shows its operator the way to the console. Elsewhere no page names it.
    consolePath: config.sandboxByDefault ? '/login?next=/operator' : null,
    // Another service handles sign-in; its publishable key is public by design.
    auth: config.AUTH_URL ? { url: config.AUTH_URL, anonKey: config.AUTH_ANON_KEY ?? '' } : null,
    billing: billingMode(config),
    ...(config.TAXES !== 'off' && billingMode(config) !== 'off' && { taxes: true as const }),
    providers: (['google', 'github'] as const).filter((name) => config.AUTH_URL || config.providers[name]),
    // Whether an emailed link can sign people in; an external auth service reports it on request.
    recovery: config.AUTH_URL ? true : signsInByEmail(config),
    // An external auth service decides for itself; the login page does not offer passwords.
    passwords: !config.AUTH_URL && mayHavePasswords(config),
    keysReveal: config.KEYS_REVEAL,
    // Whether the first example call works for visitors without an account.
    demoKey: config.DEMO_KEY === 'on' && config.DEMO_PRICES === 'on' && shop.builtins === 'on',
    links: {
      docs,
      pricing: config.PRICING_URL ?? `${config.PUBLIC_URL}/docs/pricing`,
      toolsDocs: config.TOOLS_DOCS_URL ?? `${config.PUBLIC_URL}/docs/reference`,
      sales: config.SALES_URL ?? `mailto:${shop.support}`,
      supportEmail: shop.support,
      // One link per name is enough. Customers of a named shop do not look for the software.
      source: config.SOCIAL_GITHUB || isNamed(shop) ? null : config.SOURCE_URL,
    },
    social: networks.map(
      ([id, name, variable]): SocialLink => ({
        id,
        name,
        href: config[variable] ?? '',
        network: id,
        enabled: Boolean(config[variable]),
        tooltip: `Open ${name}`,
        openInNewTab: true,
      }),
    ),
  }
}

/** Whether people can set a password in applications that sign in here. */
function mayHavePasswords(config: Config): boolean {
  const { AUTH_SIGNUP, AUTH_PASSWORD_SIGNUP, AUTH_SMS_URL } = config
  return AUTH_SIGNUP === 'on' && AUTH_PASSWORD_SIGNUP === 'on' && (signsInByEmail(config) || Boolean(AUTH_SMS_URL))
}

const signsInByEmail = ({ AUTH_EMAIL, SMTP_URL, sandbox }: Config): boolean =>
  AUTH_EMAIL === 'on' && (SMTP_URL !== undefined || sandbox)

/** The billing mode that the billing pages show: sandbox, Stripe test mode, live, or none. */
function billingMode({ STRIPE_SECRET_KEY: key, sandbox }: Config): 'off' | 'sandbox' | 'test' | 'live' {
  if (key) return /^[sr]k_live_/.test(key) ? 'live' : 'test'
  return sandbox ? 'sandbox' : 'off'
}
