/** What has a meaning in Markdown, or in HTML inside it, anywhere in a line. Cells of tables also escape `|`. */
const MARKUP = /[\\`*_[\]<>&~#@]/g

/**
 * A text of others as Markdown that means nothing but the text: a paragraph for each of its paragraphs. Links keep their words, emphasis
 * and code lose their marks; whatever else could be markup is escaped.
 */
export function plainMarkdownText(text: string): string {
  return text
    .split(/\n\s*\n/)
    .map((paragraph) => plainLine(paragraph))
    .filter(Boolean)
    .join('\n\n')
}

/** The same on one line. */
export function plainLine(text: string): string {
  return (
    plainWords(text)
      .replaceAll(MARKUP, '\\$&')
      // No link by itself, no list, no rule, and no placeholder of ours.
      .replaceAll(/:(?=\/\/)/g, '\\:')
      .replaceAll(/\bwww\./gi, 'www\\.')
      .replace(/^(\d+)([.)])/, '$1\\$2')
      .replace(/^[-+=]/, '\\$&')
      .replaceAll(/%(?=[A-Z_]+%)/g, '&#37;')
      .replaceAll('{{', '{\\{')
  )
}

/** Its words alone. They may still look like markup. */
export const plainWords = (text: string): string =>
  text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/!?\[([^\][]*)\]\([^()\s]*\)/g, '$1')
    .replaceAll(/\*\*([^*]+)\*\*/g, '$1')
    .replaceAll('`', '')
    .trim()

/** Any text as a code span of Markdown. Two marks with nothing between them would open a span that ends in the next one. */
export function codeSpan(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ') || ' '
  if (!line.includes('`')) return `\`${line}\``
  const longest = Math.max(...(line.match(/`+/g) ?? []).map((run) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence} ${line} ${fence}`
}
