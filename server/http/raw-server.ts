import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'

/** Takes a request that it can answer whole; false leaves it untouched for the framework. */
export type RawLane = (request: IncomingMessage, response: ServerResponse) => boolean

/** The options of Fastify that its own server would get. */
interface ServerOptions {
  http?: object
  keepAliveTimeout: number
  requestTimeout: number
  connectionTimeout: number
}

/**
 * The HTTP server under Fastify (its `serverFactory`), where `lane` sees each request first. `isOpen` ends that when the
 * server begins to stop, so that only the framework decides how late requests are answered.
 */
export function rawServer(
  lane: RawLane,
  isOpen: () => boolean,
): (handler: (request: IncomingMessage, response: ServerResponse) => void, options: object) => Server {
  return (handler, options) => {
    const { http, keepAliveTimeout, requestTimeout, connectionTimeout } = options as ServerOptions
    const server = createServer(http ?? {}, (request, response) => {
      if (!isOpen() || !lane(request, response)) handler(request, response)
    })
    server.keepAliveTimeout = keepAliveTimeout
    server.requestTimeout = requestTimeout
    server.setTimeout(connectionTimeout)
    return server
  }
}
