export interface RestMatch<T> {
  value: T
  params: Record<string, string>
}

interface Pattern<T> {
  value: T
  segments: { name: string | undefined; text: string }[]
}

const MAX_SEGMENT_LENGTH = 500
/** Paths that need decoding, and their errors, are left to the framework's router. */
const PLAIN = /^[A-Za-z0-9/._~^:=@-]+$/

/**
 * Finds the route of a plain path among patterns such as `/v1/bars/{symbol}`. Null when no pattern or more than one
 * matches, or the path needs decoding: then the framework's router decides.
 */
export function restMatcher<T>(routes: readonly { path: string; value: T }[]): (path: string) => RestMatch<T> | null {
  const byLength = new Map<number, Pattern<T>[]>()
  for (const { path, value } of routes) {
    const segments = path.split('/').map((text) => ({ text, name: /^\{(\w+)\}$/.exec(text)?.[1] }))
    // A parameter within a segment is not supported here.
    if (segments.some(({ name, text }) => !name && /[{}:*]/.test(text))) continue
    byLength.set(segments.length, [...(byLength.get(segments.length) ?? []), { value, segments }])
  }
  return (path) => {
    if (!PLAIN.test(path)) return null
    const parts = path.split('/')
    let found: Pattern<T> | null = null
    for (const pattern of byLength.get(parts.length) ?? []) {
      if (!fits(pattern, parts)) continue
      if (found) return null
      found = pattern
    }
    if (!found) return null
    const params: Record<string, string> = {}
    for (const [index, { name }] of found.segments.entries()) if (name) params[name] = parts[index]!
    return { value: found.value, params }
  }
}

function fits<T>({ segments }: Pattern<T>, parts: string[]): boolean {
  for (let i = 0; i < segments.length; i++) {
    const { name, text } = segments[i]!
    const part = parts[i]!
    if (name === undefined ? part !== text : part === '' || part.length > MAX_SEGMENT_LENGTH) return false
  }
  return true
}
