import type { Config } from '../../config/config.ts'

/** A color for light surfaces and one for dark surfaces, as `#rrggbb`. */
export interface Accent {
  light: string
  dark: string
}

/** A picture at an address that never changes its content. */
export interface Picture {
  path: string
  type: 'image/svg+xml' | 'image/png' | 'image/jpeg' | 'image/webp'
}

/** The legal seller, as payment receipts name it. */
export interface Seller {
  name: string
  /** Lines. */
  address: readonly string[]
  taxId: string | null
}

export type ShopPage = 'terms' | 'privacy' | 'imprint' | 'faq'

/** How this installation names itself, at one moment; frozen. */
export interface Shop {
  /** 0: nobody has named it. */
  readonly version: number
  readonly name: string
  readonly promise: string | null
  /** Null: the colors of the build. */
  readonly accent: Accent | null
  /** What stands before the name; null: the mark of the build. */
  readonly logo: Picture | null
  /** For dark surfaces. */
  readonly logoDark: Picture | null
  /** What chats and feeds show with a link if they do not show the logo. */
  readonly card: Picture | null
  /** Email address of the support links. */
  readonly support: string
  /** Sender of mails: a name and an address. */
  readonly sender: { name: string; address: string }
  /** Null: receipts have the name that the payment provider knows. */
  readonly seller: Seller | null
  /** Where dates are shown; null: where the reader is. Budgets, caps and months of usage are UTC. */
  readonly timeZone: string | null
  /** Of new prices: ISO code, lower case; null: that of the catalog. */
  readonly currency: string | null
  /** What new API keys begin with. */
  readonly keyPrefix: string
  /** Which of the tools that come with the product are served. */
  readonly builtins: 'on' | 'off' | readonly string[]
  readonly poweredBy: boolean
  /** Whether an unnamed installation has customers, whose home page must not turn into one for operators. */
  readonly customers: boolean
  /** Markdown of the pages that the operator wrote. */
  readonly pages: Readonly<Partial<Record<ShopPage, string>>>
}

/** Whether an operator has named it: what is sold and said is then the operator's. */
export const isNamed = ({ version }: Pick<Shop, 'version'>): boolean => version > 0

export const DEFAULT_KEY_PREFIX = 'fm_'
/** Of the first price of an installation, unless the shop names another. */
export const DEFAULT_CURRENCY = 'usd'

/** `Name <address>` or an address. */
export function readSender(from: string): { name: string; address: string } {
  const [, name = '', address = from] = /^(.*?)\s*<([^<>]+)>$/.exec(from.trim()) ?? []
  return { name: name.replaceAll('"', ''), address }
}

/** The installation before it is named: the product's own name, and the addresses of the settings. */
export function unnamedShop({ SUPPORT_EMAIL, MAIL_FROM }: Pick<Config, 'SUPPORT_EMAIL' | 'MAIL_FROM'>): Shop {
  return Object.freeze({
    version: 0,
    name: 'Finmeter',
    promise: null,
    accent: null,
    logo: null,
    logoDark: null,
    card: null,
    support: SUPPORT_EMAIL,
    sender: MAIL_FROM === undefined ? { name: 'Finmeter', address: SUPPORT_EMAIL } : readSender(MAIL_FROM),
    seller: null,
    timeZone: null,
    currency: null,
    keyPrefix: DEFAULT_KEY_PREFIX,
    builtins: 'on',
    poweredBy: false,
    customers: false,
    pages: {},
  })
}

/** The name in addresses and configuration files: `northwind-weather`. */
export const slugOf = ({ name }: Pick<Shop, 'name'>): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '') || 'data'
