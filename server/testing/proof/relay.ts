import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A fixed address in front of a PostgreSQL that moves, and a network that fails on demand. */
export interface Relay {
  port: number
  /** From now on connections lead to this port. */
  target: (port: number) => void
  /** From now on PostgreSQL's data is lost; the clients' still arrives. */
  loseAnswers: () => void
  mend: () => void
  /** Ends every connection. */
  cut: () => void
  close: () => Promise<void>
}

export async function openRelay(): Promise<Relay> {
  const open = new Set<Socket>()
  let port = 0
  let losing = false
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1')
    for (const socket of [client, upstream]) {
      open.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => open.delete(socket))
    }
    client.on('data', (bytes) => upstream.write(bytes))
    upstream.on('data', (bytes) => losing || client.write(bytes))
    client.on('close', () => upstream.destroy())
    upstream.on('close', () => client.destroy())
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const cut = () => {
    for (const socket of open) socket.destroy()
  }
  return {
    port: (server.address() as AddressInfo).port,
    target: (next) => {
      port = next
    },
    loseAnswers: () => {
      losing = true
    },
    mend: () => {
      losing = false
    },
    cut,
    async close() {
      cut()
      await new Promise((done) => server.close(done))
    },
  }
}
