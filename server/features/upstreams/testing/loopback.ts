import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Loopback {
  url: string
  host: string
  /** What arrived, oldest first. */
  seen: { method: string; url: string; headers: IncomingMessage['headers']; body: string }[]
  server: Server
  close: () => void
}

/** A real server on loopback that notes each request and answers with `answer`, to which the whole body has arrived. */
export async function startLoopback(answer: RequestListener): Promise<Loopback> {
  const seen: Loopback['seen'] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      seen.push({ method: request.method!, url: request.url!, headers: request.headers, body })
      answer(request, response)
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    seen,
    server,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
