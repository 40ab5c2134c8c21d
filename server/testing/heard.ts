import type { Listener } from '../db/listen.ts'

/** Resolves when `listener` has received `payload` on `channel` and all earlier handlers have run. */
export const heard = (listener: Listener, channel: string, payload: number | string): Promise<void> =>
  new Promise((done) => {
    listener.on(channel, (said) => {
      if (said === String(payload)) done()
    })
  })
