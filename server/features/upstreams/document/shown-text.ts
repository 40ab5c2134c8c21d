/** Control characters, and those that hide or reorder text: they could show people something other than what models read. */
const HIDDEN = /(?![\t\n])[\p{Cc}\p{Cf}\u2028\u2029]/gu

/** A description written by others, as it is shown: hidden characters marked, cut at `most` characters. */
export function shownText(text: string, most: number): string {
  const marked = text.replaceAll('\r\n', '\n').replace(HIDDEN, '\uFFFD').trim()
  return marked.length > most ? `${marked.slice(0, most - 1)}…` : marked
}
