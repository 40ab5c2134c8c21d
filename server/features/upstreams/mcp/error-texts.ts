import { z } from 'zod'

/** Longer texts are results, whatever they begin with. */
const MOST_CHARACTERS = 1_000

/** A whole text, or its beginning with `*` at the end. Nothing else is special, so a comparison takes no longer than the text. */
export const errorText = z.string().regex(/^[^*]{3,200}\*?$/, {
  error: 'expected a text of 3 to 200 characters, or the beginning of one with * at the end, such as Error fetching*',
})

/** Tells whether a result without `isError` is an error that its server states as plain text: text blocks only, and short. */
export function createSaysError(texts: readonly string[]): (content: unknown[], structured: unknown) => boolean {
  const known = texts.map((text) => text.toLowerCase())
  return (content, structured) => {
    if (known.length === 0 || structured !== undefined) return false
    const blocks = content as { type?: unknown; text?: unknown }[]
    if (!blocks.every(({ type, text }) => type === 'text' && typeof text === 'string')) return false
    const said = blocks
      .map(({ text }) => text as string)
      .join('\n')
      .trim()
    if (said.length > MOST_CHARACTERS) return false
    const lower = said.toLowerCase()
    return known.some((text) => (text.endsWith('*') ? lower.startsWith(text.slice(0, -1)) : lower === text.trim()))
  }
}
