import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/**
 * Connections that were opened and never used (clients and balancers open some ahead) are not idle in Node's eyes: they
 * would hold back a stop until their headers are overdue. They are ended when the server begins to close.
 */
export function registerUnusedConnections(app: FastifyInstance): void {
  const unused = new Set<Socket>()
  app.server.on('connection', (socket: Socket) => {
    unused.add(socket)
    socket.once('close', () => unused.delete(socket))
  })
  app.server.on('request', (request) => unused.delete(request.socket))
  app.addHook('preClose', async () => {
    for (const socket of unused) socket.destroy()
  })
}
