import { inflateSync } from 'node:zlib'

/** The drawing operators of a PDF that pdfkit has written, in order. A stream may end with any byte, a carriage return too. */
export function drawingOf(pdf: Buffer): string {
  const content = pdf.toString('latin1')
  const streams = [...content.matchAll(/stream\n([\s\S]*?)\nendstream/g)].map((match) =>
    Buffer.from(match[1] as string, 'latin1'),
  )
  const drawn = streams.map((stream) => {
    try {
      return inflateSync(stream).toString('latin1')
    } catch {
      return ''
    }
  })
  return drawn.join('\n')
}

/** What the built-in fonts encode in. */
const western = new TextDecoder('windows-1252')

export const words = (shown: string): string =>
  [...shown.matchAll(/<([0-9a-f]*)>/g)].map((hex) => western.decode(Buffer.from(hex[1] as string, 'hex'))).join('')

/** The text of a PDF, in drawing order. */
export const textOf = (pdf: Buffer): string =>
  [...drawingOf(pdf).matchAll(/\[(.*?)\] TJ/g)].map((part) => words(part[1] as string)).join('\n')
