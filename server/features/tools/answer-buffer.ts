/**
 * Answers up to `MOST_SHARED` bytes lie beside each other in slabs, because making a buffer of its own takes as long as
 * writing a quarter of its bytes. Nobody keeps them: they go to a socket, and a slab is gone with the last of them.
 */
const SLAB = 2 ** 18
const MOST_SHARED = SLAB / 8
let slab = Buffer.allocUnsafeSlow(SLAB)
let used = 0

/** Room for an answer that is about to be sent; what it holds is to be overwritten. */
export function answerBuffer(size: number): Buffer<ArrayBuffer> {
  if (size > MOST_SHARED) return Buffer.allocUnsafeSlow(size)
  if (used + size > SLAB) {
    slab = Buffer.allocUnsafeSlow(SLAB)
    used = 0
  }
  used += size
  return slab.subarray(used - size, used)
}

/** The pieces of an answer, one after the other. */
export function joinAnswer(pieces: readonly Uint8Array[]): Buffer<ArrayBuffer> {
  const whole = answerBuffer(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}
