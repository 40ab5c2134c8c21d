import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A TCP proxy to PostgreSQL that can lose responses, as networks do. */
export interface Wire {
  /** The database, through this proxy. */
  url: string
  /** From now on the server's data is lost; the client's still arrives. */
  loseAnswers: () => void
  /** From now on notifications are lost, and everything else arrives: a pooler's transaction mode does this. */
  deafen: () => void
  /** Drops every connection, as a failing router does. */
  cut: () => void
  mend: () => void
  close: () => Promise<void>
}

/** On a free port unless stated. */
export async function wireTo(databaseUrl: string, port = 0): Promise<Wire> {
  const target = new URL(databaseUrl)
  const open = new Set<Socket>()
  let losing = false
  let deaf = false
  const server = createServer((client) => {
    const upstream = connect(Number(target.port || 5432), target.hostname)
    for (const socket of [client, upstream]) {
      open.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => open.delete(socket))
    }
    client.on('data', (bytes) => upstream.write(bytes))
    upstream.on('data', (bytes) => losing || client.write(deaf ? withoutNotifications(bytes) : bytes))
    client.on('close', () => upstream.end())
    upstream.on('close', () => client.destroy())
  })
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done))
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
    deafen: () => {
      deaf = true
    },
    cut,
    mend: () => {
      losing = false
      deaf = false
    },
    close: async () => {
      cut()
      await new Promise((done) => server.close(done))
    },
  }
}

/** A message is a letter, then its length without the letter. On loopback, small messages arrive whole. */
function withoutNotifications(bytes: Buffer): Buffer {
  const kept: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    const end = at + 5 <= bytes.length ? at + 1 + bytes.readInt32BE(at + 1) : bytes.length
    if (bytes[at] !== 'A'.charCodeAt(0)) kept.push(bytes.subarray(at, end))
    at = end
  }
  return Buffer.concat(kept)
}
