/** What a drawing needs. Everything else, and everything that could run, load or embed something, is refused. */
const elements = new Set(
  (
    'svg g path rect circle ellipse line polyline polygon defs symbol use title desc style text tspan ' +
    'linearGradient radialGradient stop clipPath mask pattern filter feGaussianBlur feOffset feBlend feFlood ' +
    'feComposite feMerge feMergeNode feColorMatrix'
  ).split(' '),
)
const DECLARATION = /^\uFEFF?\s*(?:<\?xml\s[^<>]*\?>\s*)?(?:<!--[\s\S]*?-->\s*)*(?=<svg[\s>])/
const PART = /<!--[\s\S]*?-->|<(\/?)([A-Za-z][\w:.-]*)((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>|([^<]+)/y
const ATTRIBUTE = /([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g

/** Why this text is no harmless SVG drawing; null if it is one. It is never rendered before it has passed. */
export function svgProblem(text: string): string | null {
  const start = DECLARATION.exec(text)
  if (!start) return 'it is not an SVG drawing: an SVG file begins with <svg>'
  const open: string[] = []
  PART.lastIndex = start[0].length
  while (PART.lastIndex < text.length) {
    const found = PART.exec(text)
    if (!found) return 'its SVG is not well-formed, or has parts that a drawing does not need, such as a DOCTYPE'
    const [, closes, name, attributes, empty, words] = found
    if (words !== undefined) {
      if (open.at(-1) === 'style' && !isLocalStyle(words)) return 'its styles load something, or hide it with escapes'
      if (open.length === 0 && words.trim() !== '') return 'it has text outside the drawing'
      continue
    }
    if (name === undefined) continue
    if (closes) {
      if (open.pop() !== name) return `its SVG is not well-formed: </${name}> closes nothing`
      continue
    }
    if (!elements.has(name)) return `it contains <${name}>, which a logo does not need. Export it as plain SVG`
    const problem = attributeProblem(attributes!)
    if (problem) return problem
    if (!empty) open.push(name)
  }
  return open.length === 0 ? null : `its SVG ends within <${open.at(-1)}>: the file may be half-written`
}

function attributeProblem(attributes: string): string | null {
  for (const [, name, double, single] of attributes.matchAll(ATTRIBUTE)) {
    const value = (double ?? single)!
    if (/^on/i.test(name!)) return `it contains the event handler ${name}: a logo must not run anything`
    if (/(^|:)href$/i.test(name!) && !value.startsWith('#'))
      return `${name} refers to something outside the file (${value.slice(0, 40)}): put everything into the file`
    if (/^xmlns(:|$)/.test(name!)) continue
    if (!isLocalStyle(value)) return `${name} loads something from outside the file, or hides it with escapes`
  }
  return null
}

/** No URL but that of a part of the same file, and no escapes that could hide one. */
const isLocalStyle = (text: string): boolean =>
  !/\\|@import|&#|:\/\/|javascript:|data:/i.test(text) && !/url\(\s*(?!["']?#)/i.test(text)
