/** Paths as segments, with every parameter as one mark. A slash at the end is the same path for most servers. */
const segmentsOf = (template: string): string[] =>
  template
    .replace(/\/+$/, '')
    .replace(/\{[^{}]*\}/g, '\0')
    .split('/')

/** Many servers do not tell upper case from lower. */
const matcherOf = (segment: string): RegExp =>
  new RegExp(`^${segment.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('\0', '.+')}$`, 'is')

interface Template {
  path: string
  segments: { text: string; matches: RegExp }[]
}

const read = (path: string): Template => ({
  path,
  segments: segmentsOf(path).map((text) => ({ text, matches: matcherOf(text) })),
})

/** Tells which of `paths` are more particular than one of them: text where that one has a parameter, and otherwise the same. */
export function createNarrowerThan(paths: string[]): (path: string) => string[] {
  const byLength = Map.groupBy(paths.map(read), ({ segments }) => segments.length)
  return (path) => {
    if (!path.includes('{')) return []
    const own = read(path)
    return (byLength.get(own.segments.length) ?? []).filter((other) => isNarrower(other, own)).map((one) => one.path)
  }
}

function isNarrower(other: Template, own: Template): boolean {
  let narrower = false
  for (const [index, mine] of own.segments.entries()) {
    const theirs = other.segments[index]!
    const within = mine.matches.test(theirs.text)
    if (!within && !theirs.matches.test(mine.text)) return false
    const hasText = theirs.text.replaceAll('\0', '') !== ''
    if (within && mine.text.includes('\0') && hasText && theirs.text !== mine.text) narrower = true
  }
  return narrower
}

/** Whether a path, not encoded, is one that `template` names. */
export const createIsAt = (template: string): ((path: string) => boolean) => {
  const matchers = segmentsOf(template).map(matcherOf)
  return (path) => {
    const segments = path.replace(/\/+$/, '').split('/')
    return segments.length === matchers.length && matchers.every((one, index) => one.test(segments[index]!))
  }
}
