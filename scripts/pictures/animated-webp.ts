/** One frame: a WebP file as Chromium takes it, and how long it is shown. */
export interface Frame {
  webp: Buffer
  durationMs: number
}

/**
 * Makes one animated WebP file from single ones of the same size. It loops forever.
 * Format: https://developers.google.com/speed/webp/docs/riff_container
 */
export function animatedWebp(frames: Frame[], width: number, height: number): Buffer {
  const animated = 0x02
  const header = chunk('VP8X', Buffer.concat([Buffer.from([animated, 0, 0, 0]), uint24(width - 1), uint24(height - 1)]))
  const loop = chunk('ANIM', Buffer.alloc(6))
  const pictures = frames.map(({ webp, durationMs }) =>
    chunk(
      'ANMF',
      Buffer.concat([
        uint24(0),
        uint24(0),
        uint24(width - 1),
        uint24(height - 1),
        uint24(Math.round(durationMs)),
        Buffer.alloc(1),
        picturePart(webp),
      ]),
    ),
  )
  const body = Buffer.concat([Buffer.from('WEBP'), header, loop, ...pictures])
  return Buffer.concat([Buffer.from('RIFF'), uint32(body.length), body])
}

/** The chunk that holds the picture itself. Chromium may put a header and a color profile before it. */
function picturePart(webp: Buffer): Buffer {
  for (let at = 12; at < webp.length; ) {
    const name = webp.toString('latin1', at, at + 4)
    const size = webp.readUInt32LE(at + 4)
    const end = at + 8 + size + (size % 2)
    if (name === 'VP8 ' || name === 'VP8L') return webp.subarray(at, end)
    at = end
  }
  throw new Error('This is not a WebP file with one picture.')
}

function chunk(name: string, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from(name), uint32(content.length), content, Buffer.alloc(content.length % 2)])
}

function uint24(value: number): Buffer {
  const bytes = Buffer.alloc(3)
  bytes.writeUIntLE(value, 0, 3)
  return bytes
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
