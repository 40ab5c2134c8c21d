import type { PublishedResource } from '../document/operation.ts'

/** Longer ones are no resources. */
export const MOST_URI = 2_000
const MOST_DECODINGS = 4
const VARIABLE = /\{(\+?)[A-Za-z0-9_.]+\}/

/**
 * The addresses of an upstream's resources. Customers see `acme.demo://x` for its `demo://x`: an upstream's id has no dot, so no two
 * upstreams share an address, and ours have no dot before their colon.
 */
export interface ResourceUris {
  /** Unchanged for what is not published. */
  toPublic: (own: string) => string
  /** Undefined for what is not published. */
  toOwn: (given: string) => string | undefined
}

export const publicUri = (id: string, own: string): string => `${id}.${own}`

/** `withheld`: resources that no template may lead to. */
export function createResourceUris(
  id: string,
  published: readonly PublishedResource[],
  withheld: readonly string[],
): ResourceUris {
  const fixed = new Set(published.filter(({ template }) => !template).map(({ uri }) => uri))
  const matchers = published.filter(({ template }) => template).map(({ uri }) => matcherOf(uri))
  const hidden = new Set(withheld.map(placeOf))
  const isHidden = (own: string): boolean =>
    [own, own.replace(/#.*$/s, ''), own.replace(/[?#].*$/s, '')].some((one) => hidden.has(placeOf(one)))
  const has = (own: string): boolean =>
    own.length <= MOST_URI && (fixed.has(own) || (!isHidden(plain(own)) && matchers.some((matches) => matches(own))))
  return {
    toPublic: (own) => (has(own) ? publicUri(id, own) : own),
    toOwn(given) {
      const own = given.startsWith(`${id}.`) ? given.slice(id.length + 1) : ''
      return has(own) ? own : undefined
    },
  }
}

/** Why a template cannot be published; null: it can. `{name}` and `{+name}` of RFC 6570 are understood. */
export function templateProblem(template: string): string | null {
  const literals = template.split(/\{[^{}]*\}/)
  if (literals.length === 1 || /[{}]/.test(template.replaceAll(new RegExp(VARIABLE, 'g'), '')))
    return 'its template has more than {name} and {+name}'
  return literals.slice(1, -1).includes('') ? 'its template has two variables side by side' : null
}

/** Compares text by text, without a search that made-up addresses could make slow. */
function matcherOf(template: string): (uri: string) => boolean {
  const [first = '', ...literals] = template.split(new RegExp(VARIABLE.source.replace('(\\+?)', '\\+?')))
  const wide = [...template.matchAll(new RegExp(VARIABLE, 'g'))].map(([, plus]) => plus === '+')
  return (uri) => {
    if (!uri.startsWith(first)) return false
    let at = first.length
    for (const [index, literal] of literals.entries()) {
      const end = index === literals.length - 1 ? uri.length - literal.length : uri.indexOf(literal, at + 1)
      if (end <= at || !uri.startsWith(literal, end) || !isValue(uri.slice(at, end), wide[index]!)) return false
      at = end + literal.length
    }
    return true
  }
}

/** Nothing that would lead out of the place of the variable, as in paths of other upstreams. */
function isValue(text: string, wide: boolean): boolean {
  const value = plain(text)
  if (/[\p{Cc}\s\\]/u.test(value) || (!wide && /[/?#]/.test(value))) return false
  return !value.split('/').some((segment) => /^\.{1,2}(;|$)/.test(segment))
}

/** As a server may read it: what cannot be decoded stays, which must not keep the rest from being decoded. Some decode twice. */
function plain(text: string): string {
  let seen = text
  for (let times = 0; times < MOST_DECODINGS; times++) {
    const decoded = seen.replace(/(?:%[0-9a-f]{2})+/gi, (codes) =>
      Buffer.from(codes.replaceAll('%', ''), 'hex').toString('utf8'),
    )
    if (decoded === seen) break
    seen = decoded
  }
  return seen.normalize('NFKC').toLowerCase()
}

/** The same for each spelling that leads to one place: some servers leave out parameters (`;x=1`), and dots at the end. */
const placeOf = (uri: string): string =>
  plain(uri)
    .replaceAll(/;[^/]*/g, '')
    .replaceAll(/\/+/g, '/')
    .replace(/[./]{1,100}$/, '')

/** A block of content, in which links and embedded resources that are published have the customers' address. */
export function withPublicUris<T>(block: T, { toPublic }: ResourceUris): T {
  const { type, uri, resource } = block as { type?: unknown; uri?: unknown; resource?: { uri?: unknown } }
  if (type === 'resource_link' && typeof uri === 'string') return { ...block, uri: toPublic(uri) }
  if (type === 'resource' && typeof resource?.uri === 'string')
    return { ...block, resource: { ...resource, uri: toPublic(resource.uri) } }
  return block
}
