import { isIP } from 'node:net'
import { globMatcher } from './glob.ts'

const LOOPBACK_NAMES = new Set(['localhost', '127.0.0.1', '[::1]', '0.0.0.0'])
/** Schemes that a browser would run or read instead of navigating to an application. */
const FORBIDDEN_SCHEMES = new Set(['javascript:', 'data:', 'vbscript:', 'file:', 'blob:', 'about:'])

/** Decides where a sign-in may return to. */
export interface RedirectAllowList {
  /** The first of `candidates` that is allowed, else the site itself. */
  choose: (...candidates: (string | null | undefined)[]) => string
  allows: (candidate: string) => boolean
}

/** `globs` is a comma-separated list; commas inside braces belong to the glob. Throws on a malformed glob. */
export function createRedirectAllowList(siteUrl: string, globs: string | undefined): RedirectAllowList {
  const site = new URL(siteUrl)
  const matchers = splitGlobs(globs ?? '').map(globMatcher)
  const allows = (candidate: string): boolean => {
    const url = readUrl(candidate)
    if (!url) return false
    return (
      onSite(url, site) ||
      isLoopbackAddress(url.hostname) ||
      (mayMatch(url) && matchers.some((matches) => matches(withoutFragment(candidate))))
    )
  }
  return {
    allows,
    choose: (...candidates) => candidates.find((candidate) => candidate && allows(candidate)) ?? siteUrl,
  }
}

/** Globs that match (nearly) every host, for a warning at startup. */
export function looseGlobs(globs: string | undefined): string[] {
  return splitGlobs(globs ?? '').filter(
    (glob) => /^[^/]*\/\/\*+(?:[:/]|$)/.test(glob) || /^\*\*/.test(glob) || /\/\/[^/]*\*\*/.test(glob),
  )
}

/** Characters that parsers disagree about, and addresses that hide their host behind a user name, are refused. */
function readUrl(candidate: string): URL | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (candidate.length > 2048 || /[\u0000-\u0020\u007f\\]/.test(candidate) || !URL.canParse(candidate)) return null
  const url = new URL(candidate)
  if (url.username || url.password || FORBIDDEN_SCHEMES.has(url.protocol)) return null
  return url
}

function onSite(url: URL, site: URL): boolean {
  if (url.hostname !== site.hostname || url.protocol !== site.protocol) return false
  return url.port === site.port || LOOPBACK_NAMES.has(url.hostname)
}

const isLoopbackAddress = (host: string): boolean => host === '[::1]' || (isIP(host) === 4 && host.startsWith('127.'))

function mayMatch(url: URL): boolean {
  const host = url.hostname
  if (/^\d+$/.test(host) || isIP(host.replace(/^\[|\]$/g, '')) !== 0) return false
  return !/^https?:$/.test(url.protocol) || /^[a-z0-9.-]+$/i.test(host)
}

const withoutFragment = (text: string): string => text.split('#', 1)[0]!

function splitGlobs(list: string): string[] {
  return list
    .split(/,(?![^{]*\})/)
    .map((glob) => glob.trim())
    .filter(Boolean)
}
