import { use } from 'react'
import { initialData } from './initial-data.ts'
import { rememberShop } from './shop.ts'

/** A social link of the footer; all are off until the operator sets a URL. */
export interface SocialLink {
  id: 'github' | 'discord' | 'telegram' | 'reddit'
  name: string
  href: string
  network: string
  enabled: boolean
  tooltip: string
  openInNewTab: boolean
}

export type ProviderName = 'google' | 'github'

/** This installation's settings from the server, so that one build serves any installation. */
export interface Settings {
  publicUrl: string
  /** What the operator tells everybody now, as plain text; null: nothing. */
  banner: { text: string; until: string } | null
  /** How the installation names itself. */
  shop: {
    version: number
    /** Whether an operator has named it: what is said is then about the shop, not about this software. */
    named: boolean
    /** Whether `/` is the page for those who may install this software. */
    installers: boolean
    name: string
    /** The name in configuration files. */
    slug: string
    promise: string | null
    /** Address of the picture before the name; null: the mark of the build. */
    logo: string | null
    logoDark: string | null
    poweredBy: boolean
    hasImprint: boolean
    /** Whether the questions and answers are the operator's. */
    ownFaq: boolean
    /** Where dates are shown; null: where the reader is. */
    timeZone: string | null
    /** Whether the demonstration data is for sale. */
    demo: boolean
  }
  sandbox: boolean
  /** Whether mail goes to /sandbox/mail instead of being sent. */
  mailbox: boolean
  /** Where the operator of a trial on one machine opens the console; null elsewhere. */
  consolePath: string | null
  /** Whether taxes are computed; absent: no. */
  taxes?: true
  /** An external auth service; null: this server. */
  auth: { url: string; anonKey: string } | null
  providers: ProviderName[]
  /** Whether users can recover access by email. */
  recovery: boolean
  /** Whether applications that sign in here can let users set a password. */
  passwords: boolean
  keysReveal: 'always' | 'once'
  /** Whether the key `demo` can read the demonstration prices. */
  demoKey: boolean
  links: {
    docs: string
    pricing: string
    toolsDocs: string
    sales: string
    supportEmail: string
    /** Null if the GitHub social link replaces it. */
    source: string | null
  }
  social: SocialLink[]
}

let settings: Promise<Settings> | undefined
let held: Settings | undefined

/**
 * The settings that came with the page, else from `/config.json`, fetched once; after a failure the next caller fetches
 * again.
 */
export function loadSettings(): Promise<Settings> {
  const given = initialData()?.settings
  if (given) {
    // The server renders pages of one version after another.
    if (held !== given || !settings) settings = fulfilled(given)
    held = given
    return settings
  }
  settings ??= fetch('/config.json').then(async (response) => {
    if (!response.ok) throw new Error(`The settings of this installation could not be loaded (${response.status}).`)
    const loaded = (await response.json()) as Settings
    rememberShop(loaded.shop)
    return loaded
  })
  settings.catch(() => {
    settings = undefined
  })
  return settings
}

/** A promise that React can read synchronously. */
const fulfilled = <T>(value: T): Promise<T> => Object.assign(Promise.resolve(value), { status: 'fulfilled', value })

/** Reads the settings; needs a Suspense boundary. */
export const useSettings = (): Settings => use(loadSettings())

/** Where the source code is, for those who may install it; null: the operator names no place. */
export function useRepository(): string | null {
  const { links, social } = useSettings()
  return links.source ?? social.find(({ id, enabled }) => id === 'github' && enabled)?.href ?? null
}

const loopbackNames = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * The same page at the public URL if this one was opened by another loopback name (127.0.0.1 for localhost), else null.
 * Sign-in state is per origin and would be lost otherwise.
 */
export function canonicalAddress(current: URL, publicUrl: string): string | null {
  const target = new URL(publicUrl)
  if (current.origin === target.origin) return null
  if (!loopbackNames.has(current.hostname) || !loopbackNames.has(target.hostname)) return null
  return `${target.origin}${current.pathname}${current.search}${current.hash}`
}
