import type { Listener } from '../db/listen.ts'

/** Resolves when `listener` receives `payload` on `channel`, after all earlier listeners have handled it. */
export const heard = (listener: Listener, channel: string, payload: number | string): Promise<void> =>
  new Promise((done) => {
    listener.on(channel, (said) => {
      if (said === String(payload)) done()
    })
  })
