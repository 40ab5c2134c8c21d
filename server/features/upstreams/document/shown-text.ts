/**
 * Control characters, and those that hide or reorder text: they could show people something other than what models read. An emoji may
 * have the mark of its colored form.
 */
export const HIDDEN = /(?![\t\n])[\p{Cc}\p{Cf}\p{DI}\u2028\u2029](?<!\p{Emoji}\uFE0F)/gu

/** A description written by others, as it is shown: hidden characters marked, cut at `most` characters. */
export function shownText(text: string, most: number): string {
  const marked = text.replaceAll('\r\n', '\n').replace(HIDDEN, '\uFFFD').trim()
  return marked.length > most ? `${marked.slice(0, most - 1)}…` : marked
}
