/**
 * Answers up to `MOST_SHARED` bytes share slabs, because allocating a separate buffer takes as long as writing a
 * quarter of its bytes. They are not kept: they go to a socket, and a slab is freed with its last answer.
 */
const SLAB = 2 ** 18
const MOST_SHARED = SLAB / 8
let slab = Buffer.allocUnsafeSlow(SLAB)
let used = 0

/** Uninitialized space for an answer that is about to be sent. */
export function answerBuffer(size: number): Buffer<ArrayBuffer> {
  if (size > MOST_SHARED) return Buffer.allocUnsafeSlow(size)
  if (used + size > SLAB) {
    slab = Buffer.allocUnsafeSlow(SLAB)
    used = 0
  }
  used += size
  return slab.subarray(used - size, used)
}

/** The pieces of an answer, in order. */
export function joinAnswer(pieces: readonly Uint8Array[]): Buffer<ArrayBuffer> {
  const whole = answerBuffer(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}
