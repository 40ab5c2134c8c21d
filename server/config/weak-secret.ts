const FEWEST_DISTINCT_BYTES = 16

/**
 * Whether a secret of 32 bytes in hexadecimal was typed rather than made: few different bytes, a repeated part, or bytes
 * that count up or down. Of secrets from a random generator, less than one in 10^9 looks like that.
 */
export function isWeakSecret(hex: string): boolean {
  const bytes = [...Buffer.from(hex, 'hex')]
  if (new Set(bytes).size < FEWEST_DISTINCT_BYTES) return true
  const half = bytes.length / 2
  if (bytes.slice(0, half).every((byte, at) => byte === bytes[at + half])) return true
  const steps = bytes.slice(1).map((byte, at) => (byte - bytes[at]! + 256) % 256)
  return new Set(steps).size === 1
}
