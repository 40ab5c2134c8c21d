/** Numbers below this have at most four digits, which fill one word. */
export const FOUR_DIGITS = 10_000
export const WORD_BYTES = 4

/** The ASCII text of at most four characters as a word, first character first, with zeros after its end. */
export function wordOf(text: string): number {
  let word = 0
  for (let at = 0; at < WORD_BYTES; at++) word = (word << 8) | (at < text.length ? text.charCodeAt(at) : 0)
  return word
}

const all = (count: number, text: (value: number) => string) => Array.from({ length: count }, (_, value) => text(value))

const paddedTexts = all(FOUR_DIGITS, (value) => String(value).padStart(4, '0'))
const plainTexts = all(FOUR_DIGITS, String)
const fractionTexts = all(100, (hundredths) => String(hundredths / 100).slice(1))

/** 0000 to 9999. */
export const padded = Int32Array.from(paddedTexts, wordOf)

/** 0 to 9999, without leading zeros. */
export const plain = Int32Array.from(plainTexts, wordOf)
export const plainLengths = Uint8Array.from(plainTexts, (text) => text.length)

/** Hundredths as the text after an integer: nothing, .01, .1, .11 to .99. */
export const fractions = Int32Array.from(fractionTexts, wordOf)
export const fractionLengths = Uint8Array.from(fractionTexts, (text) => text.length)
