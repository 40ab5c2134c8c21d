/**
 * The rules of a style sheet that a page can use as sent: those whose selectors contain no class that the page lacks.
 * Rules without classes, at-rules with definitions, and everything inside a rule that stays are included unchanged.
 */
export function criticalStyles(css: string, html: string): string {
  const classes = classesOf(html)
  return prune(css.replaceAll(/\/\*[\s\S]*?\*\//g, ''), (selectors) => selectors.some((one) => usable(one, classes)))
}

function classesOf(html: string): Set<string> {
  const found = new Set<string>()
  for (const [, list] of html.matchAll(/\sclass="([^"]*)"/g))
    for (const name of unescapeHtml(list!).split(/\s+/)) found.add(name)
  return found
}

const unescapeHtml = (text: string) =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#x27;', "'")
    .replaceAll('&amp;', '&')

/** Copies CSS without the unwanted rules; groups such as `@media` that end up empty are dropped too. */
function prune(css: string, wanted: (selectors: string[]) => boolean): string {
  let kept = ''
  let at = 0
  while (at < css.length) {
    const end = endOf(css, at, '{;')
    const prelude = css.slice(at, end).trim()
    if (css[end] !== '{') {
      if (prelude) kept += `${prelude};`
      at = end + 1
      continue
    }
    const close = endOf(css, end + 1, '}')
    const body = css.slice(end + 1, close)
    at = close + 1
    if (/^@(media|layer|supports|container)\b/.test(prelude)) {
      const inner = prune(body, wanted)
      if (inner) kept += `${prelude}{${inner}}`
    } else if (prelude.startsWith('@') || wanted(splitSelectors(prelude))) kept += `${prelude}{${body}}`
  }
  return kept
}

/**
 * The position of the next of these characters outside strings, escapes and inner brackets; the text's length if there
 * is none.
 */
function endOf(css: string, from: number, marks: string): number {
  let depth = 0
  let quote = ''
  for (let at = from; at < css.length; at++) {
    const char = css[at]!
    if (char === '\\') at += 1
    else if (quote) quote = char === quote ? '' : quote
    else if (char === '"' || char === "'") quote = char
    else if (depth === 0 && marks.includes(char)) return at
    else if ('([{'.includes(char)) depth += 1
    else if (')]}'.includes(char)) depth -= 1
  }
  return css.length
}

function splitSelectors(prelude: string): string[] {
  const parts: string[] = []
  for (let at = 0; at < prelude.length; ) {
    const end = endOf(prelude, at, ',')
    parts.push(prelude.slice(at, end))
    at = end + 1
  }
  return parts
}

/** Text in brackets is ignored: it narrows a selector or offers alternatives, and an extra rule does no harm. */
function usable(selector: string, classes: ReadonlySet<string>): boolean {
  for (let at = 0; at < selector.length; at++) {
    const char = selector[at]!
    if (char === '(' || char === '[') at = endOf(selector, at + 1, ')]')
    else if (char === '\\') at += 1
    else if (char === '.') {
      const name = /^(?:\\[0-9a-f]{1,6}\s?|\\.|[\w-]|[^\0-\x7f])+/i.exec(selector.slice(at + 1))?.[0] ?? ''
      if (!classes.has(unescapeCss(name))) return false
      at += name.length
    }
  }
  return true
}

const unescapeCss = (name: string) =>
  name.replaceAll(/\\([0-9a-f]{1,6})\s?|\\(.)/gi, (_, code?: string, char?: string) =>
    code ? String.fromCodePoint(Number.parseInt(code, 16)) : char!,
  )
