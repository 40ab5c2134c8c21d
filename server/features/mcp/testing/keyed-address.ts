import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'

/**
 * An address without a query string that reaches `/mcp?apikey=`: two scenarios of the suite drop the query string of
 * the URL that they are given. Only the request line changes, so headers arrive byte for byte.
 */
export async function keyedAddress(serverUrl: string, key: string): Promise<{ url: string; close: () => void }> {
  const { hostname, port } = new URL(serverUrl)
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname)
    // A client sends one request at a time, so each starts a chunk.
    client.on('data', (chunk) => {
      const request = chunk.toString('latin1').replace(/^POST \/mcp HTTP/, `POST /mcp?apikey=${key} HTTP`)
      upstream.write(request, 'latin1')
    })
    upstream.pipe(client)
    for (const socket of [client, upstream]) {
      socket.on('error', () => {})
      socket.on('close', () => [client, upstream].map((either) => either.destroy()))
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: `http://localhost:${(server.address() as AddressInfo).port}/mcp`, close: () => server.close() }
}
