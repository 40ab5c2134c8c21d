/** What a drawing needs. Everything else, and everything that could run, load or embed something, is refused. */
const elements = new Set(
  (
    'svg g path rect circle ellipse line polyline polygon defs symbol use title desc style text tspan ' +
    'linearGradient radialGradient stop clipPath mask pattern filter feGaussianBlur feOffset feBlend feFlood ' +
    'feComposite feMerge feMergeNode feColorMatrix'
  ).split(' '),
)
const DECLARATION = /^\uFEFF?\s*(?:<\?xml\s[^<>]*\?>)?/
const NAMESPACE = 'http://www.w3.org/2000/svg'
/** Copies of copies grow beyond all bounds: this many make some thousands at most. */
const MOST_COPIES = 24
const PART = /<!--[\s\S]*?-->|<(\/?)([A-Za-z][\w:.-]*)((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>|([^<]+)/y
const ATTRIBUTE = /([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g

/** Why this text is no harmless SVG drawing; null if it is one. It is never rendered before it has passed. */
export function svgProblem(text: string): string | null {
  const open: string[] = []
  let begun = false
  let copies = 0
  PART.lastIndex = DECLARATION.exec(text)![0].length
  while (PART.lastIndex < text.length) {
    const found = PART.exec(text)
    if (!found)
      return begun
        ? 'its SVG is not well-formed, or has parts that a drawing does not need, such as a DOCTYPE'
        : NO_DRAWING
    const [, closes, name, attributes, empty, words] = found
    if (words !== undefined) {
      if (open.at(-1) === 'style' && !isLocalStyle(words)) return 'its styles load something, or hide it with escapes'
      if (hasEntity(words)) return 'it uses an entity: write the character itself'
      if (!begun && words.trim() !== '') return NO_DRAWING
      if (open.length === 0 && words.trim() !== '') return 'it has text outside the drawing'
      continue
    }
    if (name === undefined) continue
    if (closes) {
      if (open.pop() !== name) return `its SVG is not well-formed: </${name}> closes nothing`
      continue
    }
    if (!begun && name !== 'svg') return NO_DRAWING
    if (!begun && namespaceOf(attributes!) === undefined)
      return `its <svg> lacks xmlns="${NAMESPACE}", without which browsers do not draw it`
    begun = true
    if (name === 'use' && ++copies > MOST_COPIES)
      return `it has more than ${MOST_COPIES} <use>: draw the shapes themselves`
    if (!elements.has(name)) return `it contains <${name}>, which a logo does not need. Export it as plain SVG`
    const problem = attributeProblem(attributes!)
    if (problem) return problem
    if (!empty) open.push(name)
  }
  if (!begun) return NO_DRAWING
  return open.length === 0 ? null : `its SVG ends within <${open.at(-1)}>: the file may be half-written`
}

function attributeProblem(attributes: string): string | null {
  for (const [, name, double, single] of attributes.matchAll(ATTRIBUTE)) {
    const value = (double ?? single)!
    if (/^on/i.test(name!)) return `it contains the event handler ${name}: a logo must not run anything`
    if (/(^|:)href$/i.test(name!) && !value.startsWith('#'))
      return `${name} refers to something outside the file (${value.slice(0, 40)}): put everything into the file`
    if (name === 'xmlns' && value !== NAMESPACE) return `it has elements of another kind (${value.slice(0, 40)})`
    if (/^xmlns(:|$)/.test(name!)) continue
    if (hasEntity(value)) return `${name} uses an entity: write the character itself`
    if (!isLocalStyle(value)) return `${name} loads something from outside the file, or hides it with escapes`
  }
  return null
}

const NO_DRAWING = 'it is not an SVG drawing: an SVG file begins with <svg>'

const namespaceOf = (attributes: string): string | undefined =>
  /\sxmlns\s*=\s*(?:"[^"]*"|'[^']*')/.exec(attributes)?.[0]

/** Those that a DOCTYPE would define. */
const hasEntity = (text: string): boolean => /&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[\da-f]+);)/i.test(text)

/** No URL but that of a part of the same file, and no escapes, comments or rules that could hide or load one. */
const isLocalStyle = (text: string): boolean =>
  !/\\|\/\*|@(?!media\b)|&#|\/\/|javascript:|data:|(?:image-set|src)\(/i.test(text) && !/url\(\s*(?!["']?#)/i.test(text)
