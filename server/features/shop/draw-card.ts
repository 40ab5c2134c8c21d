import { crc32, deflateSync, inflateRawSync } from 'node:zlib'
import { letters } from './card-letters.gen.ts'
import { type Asset, assetOf } from './read-logo.ts'

const WIDTH = 1_200
const HEIGHT = 630
const MARGIN = 80
const STRIPE = 16
const GAP = 30
/** As in scripts/preview-image.ts. */
const CELL_HEIGHT = (letters.size * 4) / 3
const PADDING = 4
/** Of each text: from the background to its color. */
const SHADES = 16
const BACKGROUND = '#f7f8fa'
const colors = ['#0b0d10', '#5b6470']

interface Letter {
  width: number
  start: number
}

/**
 * The picture that chats and feeds show with a link to a shop whose logo is an SVG, which they do not show: its name and its promise.
 * Null if a letter is missing: then there is no picture.
 */
export function drawCard(name: string, promise: string | undefined, accent: string): Asset | null {
  const known = readLetters()
  const texts = [name, promise ?? ''].map((text) => [...text.normalize('NFC')])
  if (!texts.flat().every((one) => known.has(one))) return null
  const pixels = inflateRawSync(Buffer.from(letters.pixels, 'base64'))
  const image = Buffer.alloc(WIDTH * HEIGHT).fill(colors.length * SHADES, 0, WIDTH * STRIPE)
  // The second text is half as large.
  const lines = texts.flatMap((text, index) =>
    linesOf(text.join(''), (WIDTH - 2 * MARGIN) * (index + 1), known).map((line, row) => ({
      line,
      index,
      above: index > 0 && row === 0 ? GAP : 0,
      height: Math.round((letters.size * 1.2) / (index + 1)),
    })),
  )
  let top = Math.round((HEIGHT - lines.reduce((sum, { above, height }) => sum + above + height, 0)) / 2)
  for (const { line, index, above, height } of lines) {
    drawLine(image, pixels, line, { top: top + above, scale: index + 1, shades: index * SHADES })
    top += above + height
  }
  return assetOf(pngOf(image, paletteOf(accent)), 'image/png')
}

function readLetters(): Map<string, Letter> {
  const known = new Map<string, Letter>()
  let start = 0
  for (const [index, one] of [...letters.characters].entries()) {
    const width = letters.widths[index]!
    known.set(one, { width, start })
    start += (width + 2 * PADDING) * CELL_HEIGHT
  }
  return known
}

function linesOf(text: string, most: number, known: Map<string, Letter>): Letter[][] {
  const lettersOf = (words: string) => [...words].map((one) => known.get(one)!)
  const lines = ['']
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1)} ${word}`.trim()
    const fits = lettersOf(longer).reduce((sum, { width }) => sum + width, 0) <= most
    if (fits) lines[lines.length - 1] = longer
    else lines.push(word)
  }
  return lines.filter((line) => line !== '').map(lettersOf)
}

/** `scale`: how many pixels of a letter become one, in each direction. */
function drawLine(
  image: Buffer,
  pixels: Buffer,
  line: Letter[],
  { top, scale, shades }: { top: number; scale: number; shades: number },
): void {
  const rows = Math.min(CELL_HEIGHT, HEIGHT - top)
  const darkness = new Float32Array(WIDTH * Math.max(0, rows))
  let left = MARGIN * scale
  for (const { width, start } of line) {
    const stride = width + 2 * PADDING
    for (let y = 0; y < CELL_HEIGHT; y++)
      for (let x = 0; x < stride; x++) {
        const across = Math.floor((left + x - PADDING) / scale)
        const at = Math.floor(y / scale) * WIDTH + across
        if (across < WIDTH && at < darkness.length) darkness[at]! += pixels[start + y * stride + x]! / scale ** 2
      }
    left += width
  }
  for (const [at, dark] of darkness.entries())
    if (dark > 0) image[top * WIDTH + at] = shades + Math.min(SHADES - 1, Math.round(dark))
}

const channels = (color: string): number[] => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))

function paletteOf(accent: string): Buffer {
  const ramp = (color: string) =>
    Array.from({ length: SHADES }, (_, shade) =>
      channels(BACKGROUND).map((from, index) =>
        Math.round(from + ((channels(color)[index]! - from) * shade) / (SHADES - 1)),
      ),
    )
  return Buffer.from([...colors.flatMap(ramp), channels(accent)].flat())
}

/** A PNG with one byte for each pixel, which names a color of the palette. */
function pngOf(image: Buffer, palette: Buffer): Buffer {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(WIDTH, 0)
  head.writeUInt32BE(HEIGHT, 4)
  head.set([8, 3], 8)
  const rows = Array.from({ length: HEIGHT }, (_, y) => [Buffer.from([0]), image.subarray(y * WIDTH, (y + 1) * WIDTH)])
  const part = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(data.length)
    sum.writeUInt32BE(crc32(body))
    return Buffer.concat([length, body, sum])
  }
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    part('IHDR', head),
    part('PLTE', palette),
    part('IDAT', deflateSync(Buffer.concat(rows.flat()), { level: 9 })),
    part('IEND', Buffer.alloc(0)),
  ])
}
