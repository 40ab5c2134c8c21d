/** The smallest valid files: a red pixel, and a tenth of a second of silence. */
export const PIXEL_PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='

const SAMPLE_RATE = 8_000
const SAMPLES = SAMPLE_RATE / 10
const HEADER_BYTES = 44

/** A WAV file of 8-bit mono silence, base64. */
export function silentWav(): string {
  const file = Buffer.alloc(HEADER_BYTES + SAMPLES, 128)
  file.write('RIFF', 0)
  file.writeUInt32LE(file.length - 8, 4)
  file.write('WAVEfmt ', 8)
  file.writeUInt32LE(16, 16)
  file.writeUInt16LE(1, 20)
  file.writeUInt16LE(1, 22)
  file.writeUInt32LE(SAMPLE_RATE, 24)
  file.writeUInt32LE(SAMPLE_RATE, 28)
  file.writeUInt16LE(1, 32)
  file.writeUInt16LE(8, 34)
  file.write('data', 36)
  file.writeUInt32LE(SAMPLES, 40)
  return file.toString('base64')
}
