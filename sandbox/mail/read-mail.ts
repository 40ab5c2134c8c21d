/** The readable parts of an email. */
export interface MailPart {
  from: string
  to: string
  subject: string
  messageId: string
  text: string
  html: string
}

/** Reads a message (RFC 5322) with a text body, an HTML body or both; other parts are ignored. */
export function readMail(raw: Buffer): MailPart {
  const { headers, body } = split(raw.toString('latin1'))
  const bodies = new Map<string, string>()
  collect(headers, body, bodies)
  const header = (name: string): string => decodeWords(headers.get(name) ?? '')
  return {
    from: header('from'),
    to: header('to'),
    subject: header('subject'),
    messageId: header('message-id'),
    text: bodies.get('text/plain') ?? '',
    html: bodies.get('text/html') ?? '',
  }
}

function split(part: string): { headers: Map<string, string>; body: string } {
  const end = part.search(/\r?\n\r?\n/)
  const head = end === -1 ? part : part.slice(0, end)
  const headers = new Map<string, string>()
  for (const line of head.replaceAll(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)) {
    const colon = line.indexOf(':')
    if (colon > 0) headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim())
  }
  return { headers, body: end === -1 ? '' : part.slice(end).replace(/^\r?\n\r?\n/, '') }
}

function collect(headers: Map<string, string>, body: string, bodies: Map<string, string>): void {
  const type = headers.get('content-type') ?? 'text/plain'
  const boundary = /boundary="?([^";]+)"?/i.exec(type)?.[1]
  if (boundary) {
    for (const part of body.split(`--${boundary}`).slice(1, -1)) {
      const inner = split(part.replace(/^\r?\n/, '').replace(/\r?\n$/, ''))
      collect(inner.headers, inner.body, bodies)
    }
    return
  }
  const name = type.split(';', 1)[0]!.trim().toLowerCase()
  if (!bodies.has(name)) bodies.set(name, decodeBody(body, headers.get('content-transfer-encoding') ?? '7bit'))
}

function decodeBody(body: string, encoding: string): string {
  if (/^base64$/i.test(encoding)) return Buffer.from(body, 'base64').toString('utf8')
  const bytes = /^quoted-printable$/i.test(encoding) ? unquote(body.replaceAll(/=\r?\n/g, '')) : body
  return Buffer.from(bytes, 'latin1').toString('utf8').replaceAll('\r\n', '\n')
}

/** Encoded words (RFC 2047); spaces between two of them are not part of the text. */
function decodeWords(value: string): string {
  return value
    .replaceAll(/(\?=)\s+(=\?)/g, '$1$2')
    .replaceAll(/=\?[^?]+\?([bq])\?([^?]*)\?=/gi, (_word, kind: string, text: string) =>
      kind.toLowerCase() === 'b'
        ? Buffer.from(text, 'base64').toString('utf8')
        : Buffer.from(unquote(text.replaceAll('_', ' ')), 'latin1').toString('utf8'),
    )
}

const unquote = (text: string): string =>
  text.replaceAll(/=([0-9A-F]{2})/gi, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
