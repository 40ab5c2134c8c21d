import { use } from 'react'
import { initialData } from './initial-data.ts'

/** A social page of the footer; all are off until the operator names an address. */
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

/** What the server tells the web about this installation, so that one build serves any of them. */
export interface Settings {
  publicUrl: string
  sandbox: boolean
  /** Whether mails are kept at /sandbox/mail instead of being sent. */
  mailbox: boolean
  /** Another service that does the sign-in; null: this server. */
  auth: { url: string; anonKey: string } | null
  providers: ProviderName[]
  /** Whether somebody who cannot use a provider any more can sign in by mail. */
  recovery: boolean
  keysReveal: 'always' | 'once'
  /** Whether the key `demo` reads the demonstration prices. */
  demoKey: boolean
  links: {
    docs: string
    pricing: string
    toolsDocs: string
    sales: string
    supportEmail: string
    /** Null where the social page of that name takes its place. */
    source: string | null
  }
  social: SocialLink[]
}

let settings: Promise<Settings> | undefined

/** The settings that came with the page, else those of `/config.json`, fetched once; a failed fetch is tried again by the next caller. */
export function loadSettings(): Promise<Settings> {
  const given = initialData()?.settings
  if (given) {
    settings ??= fulfilled(given)
    return settings
  }
  settings ??= fetch('/config.json').then((response) => {
    if (!response.ok) throw new Error(`The settings of this installation could not be loaded (${response.status}).`)
    return response.json() as Promise<Settings>
  })
  settings.catch(() => {
    settings = undefined
  })
  return settings
}

/** A promise that React reads without waiting. */
const fulfilled = <T>(value: T): Promise<T> => Object.assign(Promise.resolve(value), { status: 'fulfilled', value })

/** The settings, inside a Suspense boundary. */
export const useSettings = (): Settings => use(loadSettings())

const loopbackNames = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * The same page under the public address when this one was opened by another loopback name (127.0.0.1 for
 * localhost), else null. Sign-in keeps its state per origin, so it would be lost on the way back otherwise.
 */
export function canonicalAddress(current: URL, publicUrl: string): string | null {
  const target = new URL(publicUrl)
  if (current.origin === target.origin) return null
  if (!loopbackNames.has(current.hostname) || !loopbackNames.has(target.hostname)) return null
  return `${target.origin}${current.pathname}${current.search}${current.hash}`
}
