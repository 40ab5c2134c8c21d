/**
 * A glob of the redirect allow-list as a test of whole URLs. Separators are `.` and `/`: `*` is any run of other
 * characters, `**` anything, `?` one character that is no separator, `[a-z]` and `[!a-z]` sets, `{a,b}` alternatives,
 * `\` takes the next character literally. Throws on an unclosed bracket or brace.
 */
export function globMatcher(glob: string): (text: string) => boolean {
  const pattern = new RegExp(`^${translate(glob)}$`, 's')
  return (text) => pattern.test(text)
}

function translate(glob: string): string {
  let out = ''
  let braces = 0
  for (let at = 0; at < glob.length; at++) {
    const char = glob[at]!
    if (char === '\\' && at + 1 < glob.length) out += literal(glob[++at]!)
    else if (char === '*' && glob[at + 1] === '*') {
      out += '.*'
      while (glob[at + 1] === '*') at++
    } else if (char === '*') out += '[^./]*'
    else if (char === '?') out += '[^./]'
    else if (char === '[') {
      const end = glob.indexOf(']', at + 2)
      if (end === -1) throw new SyntaxError(`The glob ${glob} has an unclosed [`)
      out += set(glob.slice(at + 1, end))
      at = end
    } else if (char === '{') {
      braces++
      out += '(?:'
    } else if (char === '}' && braces > 0) {
      braces--
      out += ')'
    } else if (char === ',' && braces > 0) out += '|'
    else out += literal(char)
  }
  if (braces > 0) throw new SyntaxError(`The glob ${glob} has an unclosed {`)
  return out
}

function set(body: string): string {
  const negated = body.startsWith('!') || body.startsWith('^')
  const members = (negated ? body.slice(1) : body).replaceAll(/[\\\]^]/g, '\\$&')
  return `[${negated ? '^./' : ''}${members}]`
}

const literal = (char: string): string => char.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&')
