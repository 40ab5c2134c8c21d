import type { Listed } from '../look-up/look-up.ts'
import { currencyCode, fillers, isCurrencyName, joints, type KnownName, notSymbols, vague } from './words.ts'

export type Find = (query: string) => Promise<readonly Listed[]>

/** A name that the question is about, found in the catalog or in capitals. */
export interface Named {
  symbol: string
  /** Null: not in the catalog. The server's refusal is free and names similar symbols. */
  listed: Listed | null
  units?: 'yoy'
}

export interface Names {
  found: Named[]
  /** Words without a meaning here. */
  leftOut: string[]
  /** What the left out words may have meant. */
  near: Listed[]
}

/** The search gives this to an alias, and more to the symbol; a likely typo gets 0.3. */
const ALIAS_SCORE = 0.95
const TYPO_SCORE = 0.3
const MOST_WORDS_OF_A_NAME = 4
const MOST_NEAR = 3
const SYMBOL = /^\^?(?:[A-Z][A-Z0-9]*|[A-Z0-9]+)(?:[./=-][A-Z0-9]+)*$/
/** A dot or a caret inside a word makes it a symbol in small letters, too. */
const SPELLED = /^(?:\^\p{L}{2,9}|\p{L}{2,9}[.=/][\p{L}\p{N}.]{1,20})$/u

/** Finds the names in the parts of a question, from left to right, the longest first. A name must fit whole words. */
export async function findNames(parts: readonly (string | KnownName)[], find: Find): Promise<Names> {
  const names: Names = { found: [], leftOut: [], near: [] }
  for (const part of parts) {
    if (typeof part === 'string') await readPart(part, find, names)
    else {
      const listed = (await find(part.symbol)).find(({ symbol }) => symbol === part.symbol)
      if (listed) names.found.push({ symbol: part.symbol, listed, ...(part.units && { units: part.units }) })
      else await readPart(part.text ?? part.symbol, find, names)
    }
  }
  return { ...names, near: names.near.slice(0, MOST_NEAR) }
}

async function readPart(part: string, find: Find, names: Names): Promise<void> {
  const words = part
    .replaceAll(/[,;:()"]|'s\b/g, ' ')
    .split(' ')
    .filter((word) => /[\p{L}\p{N}&]/u.test(word))
  // In a line of capitals, capitals say nothing.
  const shouted = words.length > 1 && words.every((word) => word === word.toUpperCase()) && words.some(isFiller)
  for (let at = 0; at < words.length; ) {
    if (isFiller(words[at]!) && (shouted || !SYMBOL.test(words[at]!) || words[at]!.length === 1)) {
      at += 1
      continue
    }
    const found = await longestAt(words, at, shouted, find)
    if (found) names.found.push(found.named)
    else {
      const word = words[at]!
      names.leftOut.push(word)
      if (word.length > 3 && !notSymbols.has(word.toLowerCase())) names.near.push(...(await find(word)))
    }
    at += found?.count ?? 1
  }
}

const isFiller = (word: string) => fillers.has(word.toLowerCase()) || joints.has(word.toLowerCase())

async function longestAt(words: string[], at: number, shouted: boolean, find: Find) {
  for (let count = Math.min(MOST_WORDS_OF_A_NAME, words.length - at); count > 0; count--) {
    if (count > 1 && isFiller(words[at + count - 1]!)) continue
    const inner = words.slice(at, at + count)
    const query = inner.filter((word) => count === 1 || !isFiller(word)).join(' ')
    if (count === 1 && !shouted && (SYMBOL.test(query) || SPELLED.test(query)) && !/^\d+$/.test(query)) {
      const symbol = query.toUpperCase()
      const listed = (await find(query)).find((one) => one.score >= ALIAS_SCORE || one.symbol === symbol)
      if (listed || query.length > 1)
        return { count, named: { symbol: listed?.symbol ?? symbol, listed: listed ?? null } }
      return null
    }
    if (count === 1 && (notSymbols.has(query.toLowerCase()) || isCurrencyName(query) || /^(?:.|\d+)$/.test(query)))
      return null
    const listed = fitting(query, await find(query))
    if (listed) return { count, named: { symbol: listed.symbol, listed } }
  }
  return null
}

/** The one match that has each word of the query; null if several have, or if it is only similar. */
function fitting(query: string, found: readonly Listed[]): Listed | null {
  const [first, second] = found
  if (!first || first.score <= TYPO_SCORE) return null
  if (first.score >= ALIAS_SCORE) return first
  const wanted = wordsOf(query)
  const alone = wanted.length === 1
  if (wanted.every((word) => vague.has(word) || isFiller(word)) || (alone && currencyCode(query))) return null
  const whole = found.filter((one) => covers(one, wanted))
  const begins = (one: Listed) => wordsOf((one.name ?? '').replace(/^The /i, ''))[0]
  // "volatility" is not the name of the Cboe Volatility Index.
  if (whole.length === 1 && (!alone || begins(whole[0]!) === wanted[0])) return whole[0]!
  if (whole.length > 1 || second?.score === first.score) return null
  // "exxon" begins the name of ExxonMobil; "life" only occurs in Edwards Lifesciences.
  return alone && query.length > 4 && begins(first)?.startsWith(wanted[0]!) ? first : null
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

function covers({ symbol, name }: Listed, wanted: string[]): boolean {
  const words = wordsOf(`${symbol} ${name ?? ''}`)
  return wanted.every((part) => fillers.has(part) || joints.has(part) || words.includes(part))
}
