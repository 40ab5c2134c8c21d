import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A TCP proxy to PostgreSQL that can lose responses, as networks do. */
export interface Wire {
  /** The database, through this proxy. */
  url: string
  /** From now on the server's data is lost; the client's still arrives. */
  loseAnswers: () => void
  /** Drops every connection, as a failing router does. */
  cut: () => void
  mend: () => void
  close: () => Promise<void>
}

export async function wireTo(databaseUrl: string): Promise<Wire> {
  const target = new URL(databaseUrl)
  const open = new Set<Socket>()
  let losing = false
  const server = createServer((client) => {
    const upstream = connect(Number(target.port || 5432), target.hostname)
    for (const socket of [client, upstream]) {
      open.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => open.delete(socket))
    }
    client.on('data', (bytes) => upstream.write(bytes))
    upstream.on('data', (bytes) => losing || client.write(bytes))
    client.on('close', () => upstream.end())
    upstream.on('close', () => client.destroy())
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const url = new URL(databaseUrl)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  const cut = () => {
    for (const socket of open) socket.destroy()
  }
  return {
    url: url.toString(),
    loseAnswers: () => {
      losing = true
    },
    cut,
    mend: () => {
      losing = false
    },
    close: async () => {
      cut()
      await new Promise((done) => server.close(done))
    },
  }
}
