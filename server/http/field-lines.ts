// Could end a line, or is not a byte.
const UNSAFE = /[^\t\x20-\x7e\x80-\xff]/

/** Headers as they are sent, one per line. Throws TypeError for a value that could end its line. */
export function fieldLines(headers: Readonly<Record<string, string>>): string {
  let text = ''
  for (const name in headers) {
    const value = headers[name]!
    if (UNSAFE.test(value)) throw new TypeError(`The header ${name} holds a character that no header may hold.`)
    text += `${name}: ${value}\r\n`
  }
  return text
}
