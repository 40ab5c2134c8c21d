import { setImmediate } from 'node:timers/promises'

/** Below this length, chance would find it in any answer. */
const LEAST_LOOKED_FOR = 6
/** Of a longer secret, its end is looked for: tokens begin alike. */
const MOST_LOOKED_FOR = 128
/** Bytes that are searched at once. */
const WINDOW = 2 ** 20

/** Looks for the operator's credential in what an upstream says. Made once for each credential. */
export interface SecretSearch {
  /**
   * Whether a secret is in a text, or in bytes. Takes 2 to 5 ms for each MiB; where the secret is one
   * character again and again, some 400 ms.
   */
  isIn: (text: string | Buffer) => boolean
  /** The same, for any length, without keeping the process from other work. */
  isInWhole: (body: Buffer) => Promise<boolean>
  /** How many of the last bytes could be the beginning of one. */
  beginningAtEnd: (bytes: Buffer) => number
}

/**
 * Finds each of `secrets` as it is, in hexadecimal and in base64, and each of these with any of its characters escaped, as in addresses, JSON (also
 * JSON within JSON) and HTML. Upper and lower case are the same, but in base64. A secret in several parts is not found. `secrets` are ASCII.
 */
export function createSecretSearch(secrets: readonly string[]): SecretSearch {
  const looked = secrets
    .filter((one) => one.length >= LEAST_LOOKED_FOR)
    .filter((one, at, all) => !all.slice(0, at).some((other) => one.includes(other)))
    .map((one) => withoutRuns(one).slice(-MOST_LOOKED_FOR))
  const forms = looked.flatMap((text) => [
    tokensOf(text, true),
    tokensOf(Buffer.from(text).toString('hex'), true),
    ...base64Of(text).map((coded) => tokensOf(coded, false)),
  ])
  const whole = forms.map((tokens) => new RegExp(tokens.join('')))
  const atEnd = forms.map(
    (tokens) => new RegExp(`${tokens.map((one) => `(?:${one}`).join('')}${')?'.repeat(tokens.length)}${UNFINISHED}$`),
  )
  const longest = Math.max(0, ...forms.map((tokens) => tokens.length)) * LONGEST_TOKEN
  const isIn = (text: string | Buffer): boolean => {
    const seen = typeof text === 'string' ? text : text.toString('latin1')
    return whole.some((form) => form.test(seen))
  }
  return {
    isIn,
    async isInWhole(body) {
      for (let from = 0; from < body.length; from += WINDOW) {
        if (from > 0) await setImmediate()
        if (isIn(body.subarray(from, from + WINDOW + longest))) return true
      }
      return false
    },
    beginningAtEnd(bytes) {
      const end = bytes.toString('latin1', Math.max(0, bytes.length - longest))
      return Math.max(0, ...atEnd.map((form) => end.length - form.exec(end)!.index))
    },
  }
}

/** Eight backslashes and `u0073`, `%25252573`, `&#x000073;` */
const LONGEST_TOKEN = 13
/** An escape whose end has not arrived. */
const UNFINISHED =
  '(?:%[0-9A-Fa-f]{0,8}|\\\\{1,8}(?:u[0-9A-Fa-f]{0,3}|x[0-9A-Fa-f]?)?|&(?:#[xX]?[0-9A-Fa-f]{0,7}|[a-z]{0,4}))?'
const NAMED: Record<string, string> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' }
/** Base64 for addresses has others, and forms write a space in their own way. */
const ALSO: Record<string, string> = { '+': '-', '/': '_', ' ': '+' }

/** The longest part without the backslashes at the beginning and runs of three: they can be divided in too many ways. */
function withoutRuns(text: string): string {
  const longest = text.split(/^\\+|\\{3,}/).toSorted((a, b) => b.length - a.length)[0]!
  return longest.length < LEAST_LOOKED_FOR ? text : longest
}

/** Each character as a pattern of all the ways to write it. */
function tokensOf(text: string, anyCase: boolean): string[] {
  return Array.from(text, (mark, at) => {
    // Bounded, and at the beginning one, because a long run of them would be looked through from each on.
    const slashes = at === 0 ? '\\\\' : '\\\\{1,8}'
    const marks = anyCase ? [...new Set([mark.toLowerCase(), mark.toUpperCase()])] : [mark]
    const codes = marks.map((one) => one.charCodeAt(0))
    const hex = `(?:${codes.map((code) => anyHex(code.toString(16).padStart(2, '0'))).join('|')})`
    const literal = `[${[...marks, ...(anyCase && mark !== ' ' ? [] : [ALSO[mark] ?? ''])].map(quoted).join('')}]`
    const ways = [
      literal,
      `%(?:25)*${hex}`,
      `${slashes}(?:u00|x)${hex}`,
      `&#(?:[xX]0*${hex}|0*(?:${codes.join('|')}));`,
    ]
    if (NAMED[mark]) ways.push(`&${NAMED[mark]};`)
    if (/["/]/.test(mark)) ways.push(`${slashes}${quoted(mark)}`)
    // JSON doubles them at each level.
    if (mark === '\\') ways.push('\\\\{8}', '\\\\{4}', '\\\\{2}')
    return `(?:${ways.join('|')})`
  })
}

const anyHex = (hex: string): string => hex.replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)
const quoted = (text: string): string => text.replaceAll(/\W/g, '\\$&')

/** What base64 is sure to have of a text, wherever among other bytes it stands. */
const base64Of = (text: string): string[] =>
  [0, 1, 2].map((before) => {
    const coded = Buffer.from('\0'.repeat(before) + text).toString('base64')
    return coded.slice(Math.ceil((before * 8) / 6), Math.floor(((before + text.length) * 8) / 6))
  })
