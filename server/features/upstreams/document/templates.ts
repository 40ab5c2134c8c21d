/** Paths as segments, with every parameter as one mark. A slash at the end is the same path for most servers. */
const segmentsOf = (template: string): string[] =>
  template
    .replace(/\/+$/, '')
    .replace(/\{[^{}]*\}/g, '\0')
    .split('/')

/**
 * Many servers do not tell upper case from lower. A regular expression would try every division of a value between two parameters of a
 * segment.
 */
function matcherOf(segment: string): (text: string) => boolean {
  const [first = '', ...literals] = segment.toLowerCase().split('\0')
  return (given) => {
    const text = given.toLowerCase()
    if (literals.length === 0) return text === first
    if (!text.startsWith(first)) return false
    let at = first.length
    for (const literal of literals.slice(0, -1)) {
      const found = text.indexOf(literal, at + 1)
      if (found === -1) return false
      at = found + literal.length
    }
    const last = literals.at(-1)!
    return text.length - last.length > at && text.endsWith(last)
  }
}

interface Template {
  path: string
  segments: { text: string; matches: (text: string) => boolean }[]
}

const read = (path: string): Template => ({
  path,
  segments: segmentsOf(path).map((text) => ({ text, matches: matcherOf(text) })),
})

/**
 * Tells which of `paths` are more particular than one of them: text where that one has a parameter, and otherwise the same. `wide`: a
 * parameter whose values may have slashes; then also each longer path that they could spell.
 */
export function createNarrowerThan(paths: string[]): (path: string, wide?: string) => string[] {
  const byLength = Map.groupBy(paths.map(read), ({ segments }) => segments.length)
  const longest = Math.max(0, ...byLength.keys())
  const overlapping = (path: string, isOne: (other: Template, own: Template) => boolean): string[] => {
    const own = read(path)
    return (byLength.get(own.segments.length) ?? []).filter((other) => isOne(other, own)).map((one) => one.path)
  }
  return (path, wide) => {
    if (!path.includes('{')) return []
    const found = overlapping(path, isNarrower)
    if (wide === undefined) return found
    let longer = path
    while (segmentsOf(longer).length < longest) {
      longer = longer.replace(`{${wide}}`, `{${wide}}/{${wide}}`)
      found.push(...overlapping(longer, overlaps))
    }
    return found
  }
}

function isNarrower(other: Template, own: Template): boolean {
  const hasMore = own.segments.some((mine, index) => {
    const theirs = other.segments[index]!
    const hasText = theirs.text.replaceAll('\0', '') !== ''
    return mine.matches(theirs.text) && mine.text.includes('\0') && hasText && theirs.text !== mine.text
  })
  return hasMore && overlaps(other, own)
}

const overlaps = (other: Template, own: Template): boolean =>
  own.segments.every((mine, index) => {
    const theirs = other.segments[index]!
    return mine.matches(theirs.text) || theirs.matches(mine.text)
  })

/** Whether a path, not encoded, is one that a lenient server takes for one of `templates`. */
export function createIsAtAny(templates: readonly string[]): (path: string) => boolean {
  const all = templates.map((template) => segmentsOf(template).map(matcherOf))
  return (path) => {
    const segments = path.replace(/\/+$/, '').split('/').map(readingsOf)
    return all.some(
      (matchers) => segments.length === matchers.length && matchers.every((one, index) => segments[index]!.some(one)),
    )
  }
}

/** Some servers decode again what they have decoded. */
export const MOST_DECODINGS = 4
/** Accents, and characters that some servers leave out because nobody sees them. */
export const UNSEEN = /[\p{M}\p{Cf}\u115F\u1160\u3164\uFFA0]/gu
/** Nothing that anybody reads in another way, but for upper and lower case. */
const PLAIN = /^[\w~:,-]+$/
/** Some frameworks read the format of the answer from the end of the path. */
const FORMAT = /\.(json|xml|csv|html?|txt|ya?ml|js|rss|atom|php|jsp|aspx?|do)$/i

/**
 * What servers may make of a segment: some decode it again, compare letters without width, accents and hidden characters, or leave out
 * parameters (`;x=1`), what follows a zero byte, spaces and dots at the end, and the name of a format.
 */
function readingsOf(segment: string): string[] {
  if (PLAIN.test(segment)) return [segment]
  let decoded = segment
  for (let times = 0; times < MOST_DECODINGS; times++) decoded = decodedOnce(decoded)
  const plain = decoded.normalize('NFKD').replace(UNSEEN, '').replaceAll('ı', 'i')
  const cut = plain.replace(/[;?#\0].*$/s, '').trimStart()
  const bare = cut.slice(0, cut.length - tailOf(cut))
  return [segment, decoded, plain, cut, bare, bare.replace(FORMAT, '')]
}

/** How many spaces, dots and plus signs are at the end. A regular expression would try each of them as the beginning. */
function tailOf(text: string): number {
  let length = 0
  while (length < text.length && /[\s.+]/.test(text[text.length - 1 - length]!)) length++
  return length
}

/** A text with percent codes, also as `%u0041`, decoded. What cannot be decoded stays, which must not keep the rest from it. */
export const decodedOnce = (text: string): string =>
  text
    .replace(/%u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/(?:%e0%[89][0-9a-f]|%c[01])%[89ab][0-9a-f]/gi, overlong)
    .replace(/(?:%[0-9a-f]{2})+/gi, (codes) => Buffer.from(codes.replaceAll('%', ''), 'hex').toString('utf8'))

/** A character of ASCII, or a little more, in more bytes than it needs: UTF-8 has no such codes, and old servers read them. */
const overlong = (codes: string): string => {
  const [last = 0, lead = 0] = codes
    .split('%')
    .map((code) => Number.parseInt(code, 16))
    .toReversed()
  return String.fromCharCode(((lead & 0x1f) << 6) | (last & 0x3f))
}
