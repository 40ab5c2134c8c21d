import { setTimeout as sleep } from 'node:timers/promises'

/** Between two pieces, other work gets as long as one takes to write and send. */
const PAUSE_MS = 1

let last: Promise<unknown> = Promise.resolve()

/** Resolves when the next piece of an export may be written. All exports of the process take turns, one piece at a time. */
export function takeTurn(): Promise<unknown> {
  last = last.then(() => sleep(PAUSE_MS))
  return last
}
