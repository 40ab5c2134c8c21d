import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import type { Picture } from './shop.ts'
import { svgProblem } from './svg-problem.ts'

export interface Asset {
  hash: string
  type: Picture['type']
  body: Buffer
}

const MOST_KIB = 256
const MOST_PIXELS = 2_048

/**
 * Reads a logo: an SVG drawing, PNG, JPEG or WebP, told by its content and not by its name. Throws an Error that says what is
 * wrong with the file and what to do.
 */
export async function readLogo(path: string): Promise<Asset> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new Error(error.code === 'ENOENT' ? `there is no file ${path}` : `${path} cannot be read (${error.code})`)
  })
  if (!found.isFile()) throw new Error(`${path} is not a file`)
  // Before it is read: a file can be larger than memory.
  if (found.size > MOST_KIB * 1024)
    throw new Error(
      `${path} has ${Math.ceil(found.size / 1024).toLocaleString('en-US')} KiB, and a logo at most ${MOST_KIB}: every page and mail loads it`,
    )
  return checkLogo(await readFile(path), path)
}

/** The same for bytes that are here already; `path` names them in messages. */
export function checkLogo(body: Buffer, path: string): Asset {
  const type = typeOf(body)
  if (type === 'image/png') checkPng(body, path)
  if (type !== null && !endsWhole(body, type))
    throw new Error(`${path} is a picture that ends early, or has something behind it: save it again`)
  if (type !== null) return assetOf(body, type)
  const text = body.toString('utf8')
  if (!/^\uFEFF?\s*<|<svg/.test(text))
    throw new Error(`${path} is neither SVG, PNG, JPEG nor WebP. Its content counts, not its name`)
  const problem = text.includes('\uFFFD') ? 'it is not UTF-8' : svgProblem(text)
  if (problem) throw new Error(`${path} cannot be a logo: ${problem}`)
  return assetOf(body, 'image/svg+xml')
}

/** The mark of a shop without a logo: the first letter of its name. */
export function letterMark(name: string, { light, dark }: { light: string; dark: string }): Asset {
  const [letter = ''] =
    new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(name.toUpperCase())[Symbol.iterator]().next().value
      ?.segment ?? ''
  const safe = /^[\p{L}\p{N}]$/u.test(letter) ? letter : '·'
  return assetOf(
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><style>rect{fill:${light}}text{fill:#fff}@media (prefers-color-scheme:dark){rect{fill:${dark}}text{fill:#0b0d10}}</style><rect width="24" height="24" rx="5"/><text x="12" y="17" text-anchor="middle" font-family="system-ui,sans-serif" font-size="14" font-weight="700">${safe}</text></svg>`,
    ),
    'image/svg+xml',
  )
}

export const assetOf = (body: Buffer, type: Picture['type']): Asset => ({
  hash: createHash('sha256').update(body).digest('hex').slice(0, 32),
  type,
  body,
})

function typeOf(body: Buffer): Picture['type'] | null {
  if (body.subarray(0, 8).equals(Buffer.from('89504e470d0a1a0a', 'hex'))) return 'image/png'
  if (body.subarray(0, 3).equals(Buffer.from('ffd8ff', 'hex'))) return 'image/jpeg'
  if (body.toString('latin1', 0, 4) === 'RIFF' && body.toString('latin1', 8, 12) === 'WEBP') return 'image/webp'
  return null
}

/** A JPEG ends with its mark, and a WebP has the length that it says. */
function endsWhole(body: Buffer, type: Picture['type']): boolean {
  if (type === 'image/jpeg') return body.length > 100 && body.subarray(-2).equals(Buffer.from('ffd9', 'hex'))
  return type !== 'image/webp' || (body.length > 20 && body.readUInt32LE(4) + 8 === body.length)
}

function checkPng(body: Buffer, path: string): void {
  if (body.length < 45 || body.toString('latin1', body.length - 8, body.length - 4) !== 'IEND')
    throw new Error(`${path} is a PNG that ends early: the file may be half-written`)
  const [width, height] = [body.readUInt32BE(16), body.readUInt32BE(20)]
  if (width > MOST_PIXELS || height > MOST_PIXELS)
    throw new Error(`${path} has ${width} x ${height} pixels, and a logo at most ${MOST_PIXELS} on each side`)
}
