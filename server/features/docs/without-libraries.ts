/**
 * The client libraries and the command line, by the name that they are installed and imported by. Not: headers, environment variables,
 * `_meta` keys and types of errors, which stay as they are.
 */
const LIBRARY = /(?<!Powered by |[\w/:.@-])finmeter(?![-/:\w]|\.example)/i

const codeTabs = /<div class="docs-code"><div class="docs-code-bar"><div role="tablist"[\s\S]*?<\/pre><\/div>/g
const panel = /<pre [^>]*role="tabpanel" id="([^"]+)"[\s\S]*?<\/pre>/g
const block = /<(p|li|figure)(?: [^>]*)?>(?:(?!<\1[ >])[\s\S])*?<\/\1>\n?/g
const fence = /^```[\s\S]*?^```$/gm
/** Stands for a block of code, at a character that no page has. */
const FOLD = '\uE000'
const folds = new RegExp(`${FOLD}(\\d+)${FOLD}`, 'g')

/** Prose without the sentences that name them. */
export const proseWithoutLibraries = (text: string): string =>
  text
    .split(/(?<=[.:]) (?=[A-Z])/)
    .filter((sentence) => !LIBRARY.test(sentence))
    .join(' ')

/**
 * A page of the build for a named shop, whose customers are not told to install libraries under another name: without the snippets,
 * paragraphs and table lines that name them. What is left calls the API over HTTP.
 */
export function htmlWithoutLibraries(html: string): string {
  const tabs = html.replaceAll(codeTabs, (whole) => {
    const gone = [...whole.matchAll(panel)].filter(([text]) => LIBRARY.test(words(text))).map(([, id]) => id!)
    return gone.reduce(
      (left, id) =>
        left
          .replace(new RegExp(`<button [^>]*aria-controls="${id}"[\\s\\S]*?</button>`), '')
          .replace(new RegExp(`<pre [^>]*id="${id}"[\\s\\S]*?</pre>`), ''),
      whole,
    )
  })
  return tabs.replaceAll(block, (whole) => (LIBRARY.test(words(whole)) ? '' : whole))
}

/** The same of Markdown. */
export function markdownWithoutLibraries(markdown: string): string {
  const fences: string[] = []
  // Blank lines within code divide nothing.
  const folded = markdown.replaceAll(fence, (code) => `${FOLD}${fences.push(code) - 1}${FOLD}`)
  return folded
    .split('\n\n')
    .map((part) => part.replaceAll(folds, (_, index: string) => fences[Number(index)]!))
    .flatMap((part) => {
      if (!LIBRARY.test(part)) return [part]
      const lines = /^[|-] /.test(part) ? part.split('\n').filter((line) => !LIBRARY.test(line)) : []
      return lines.length > 0 ? [lines.join('\n')] : []
    })
    .join('\n\n')
}

/** Code in colors has a span around each word. */
const words = (html: string): string => html.replaceAll(/<[^>]+>/g, '')
