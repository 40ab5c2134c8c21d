import type { Listener } from '../db/listen.ts'

/** Resolves when `listener` hears `payload` on `channel`, after everybody who listened before has dealt with it. */
export const heard = (listener: Listener, channel: string, payload: number | string): Promise<void> =>
  new Promise((done) => {
    listener.on(channel, (said) => {
      if (said === String(payload)) done()
    })
  })
