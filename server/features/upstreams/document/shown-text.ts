/** Control characters, and those that hide or reorder text: they could show people something other than what models read. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
const HIDDEN =
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u200B-\u200F\u2028-\u202E\u2060-\u206F\uFEFF\u{E0000}-\u{E007F}]/gu

/** A description written by others, as it is shown: hidden characters marked, cut at `most` characters. */
export function shownText(text: string, most: number): string {
  const marked = text.replaceAll('\r\n', '\n').replace(HIDDEN, '\uFFFD').trim()
  return marked.length > most ? `${marked.slice(0, most - 1)}…` : marked
}
