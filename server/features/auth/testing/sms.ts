import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'

const SECRET = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`

export interface Sms {
  phone: string
  text: string
  channel: string
}

/** An operator's sender of text messages. */
export interface SmsReceiver {
  /** The settings that name it. */
  env: { AUTH_SMS_URL: string; AUTH_SMS_SECRET: string }
  received: Sms[]
  /** The code of the newest message. */
  lastCode: () => string
  /** What it answers from now on; only with 200 it takes a message. */
  answer: (status: number) => void
  /** Leaves the next messages without an answer until `release`; `arrived` waits for the first of them. */
  hold: () => void
  arrived: () => Promise<void>
  release: () => void
  close: () => void
}

export async function startSmsReceiver(): Promise<SmsReceiver> {
  const received: Sms[] = []
  let status = 200
  let held = Promise.withResolvers<void>()
  held.resolve()
  let reached = Promise.withResolvers<void>()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', async () => {
      // An independent implementation of the scheme checks our signature; it throws for a wrong one.
      const sms = new Webhook(SECRET).verify(
        Buffer.concat(chunks).toString(),
        request.headers as Record<string, string>,
      )
      if (status === 200) received.push(sms as Sms)
      reached.resolve()
      await held.promise
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ message_id: 'SM1' }))
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return {
    env: { AUTH_SMS_URL: `http://127.0.0.1:${port}/sms`, AUTH_SMS_SECRET: SECRET },
    received,
    lastCode: () => /\d{6}/.exec(received.at(-1)?.text ?? '')?.[0] ?? '',
    answer(next) {
      status = next
    },
    hold() {
      held = Promise.withResolvers<void>()
      reached = Promise.withResolvers<void>()
    },
    arrived: () => reached.promise,
    release: () => held.resolve(),
    close: () => server.close(),
  }
}
