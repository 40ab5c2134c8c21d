import { AppError } from './errors.ts'

/** What walks a value by calling itself runs out of stack somewhere beyond a thousand levels. */
export const MOST_LEVELS = 100

const QUOTE = 0x22
const BACKSLASH = 0x5c
/** Brackets and braces differ in this bit alone. */
const BRACE_BIT = 0x20
const OPEN = 0x7b
const CLOSE = 0x7d

/**
 * Throws bad_json for JSON that is nested more than 100 levels deep. Reads the text once, so it takes any depth; what is no JSON may
 * pass.
 */
export function refuseDeepJson(text: string): void {
  let level = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfText(text, at + 1)
    else if ((code | BRACE_BIT) === CLOSE) level--
    else if ((code | BRACE_BIT) === OPEN && ++level > MOST_LEVELS)
      throw new AppError('bad_json', `The JSON is nested more than ${MOST_LEVELS} levels deep. Send fewer levels.`)
  }
}

/** The position of the quote that ends a text. */
function endOfText(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) return at
    if (code === BACKSLASH) at++
  }
  return text.length
}
