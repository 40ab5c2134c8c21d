import { setTimeout as sleep } from 'node:timers/promises'

/** Between two pieces, other work gets about as long as one takes. */
const PAUSE_MS = 1

let last: Promise<unknown> = Promise.resolve()

/**
 * Resolves when a piece of an export, or one large response, may be written. All of the process take turns, so that calls
 * beside them are served in between.
 */
export function takeTurn(): Promise<unknown> {
  last = last.then(() => sleep(PAUSE_MS))
  return last
}
