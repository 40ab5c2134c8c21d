import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export interface AlertReceiver {
  url: string
  /** Received posts, oldest first. */
  seen: { body: string; headers: Record<string, string> }[]
  /** The response from now on. */
  answers: (status: number) => void
  close: () => Promise<void>
}

/** A customer's webhook server. It accepts alerts unless set otherwise. */
export async function startAlertReceiver(): Promise<AlertReceiver> {
  const seen: AlertReceiver['seen'] = []
  let status = 204
  const server = createServer(async (request, response) => {
    const body = await text(request)
    seen.push({ body, headers: request.headers as Record<string, string> })
    response.writeHead(status).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/alerts`,
    seen,
    answers: (next) => {
      status = next
    },
    close: async () => {
      server.close()
      await once(server, 'close')
    },
  }
}
