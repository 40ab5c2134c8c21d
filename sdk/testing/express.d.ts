/** What guard.test.ts uses: the package has no types of its own. */
declare module 'express' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  namespace express {
    type Request = IncomingMessage
    interface Response extends ServerResponse {
      json: (body: unknown) => Response
      status: (code: number) => Response
      type: (name: string) => Response
    }
    type Next = (error?: unknown) => void
    type Handler = (request: Request, response: Response, next: Next) => unknown
    interface Application {
      (request: IncomingMessage, response: ServerResponse): void
      get: (path: string, handler: Handler) => void
      use: (handler: (error: Error, request: Request, response: Response, next: Next) => unknown) => void
    }
  }
  function express(): express.Application
  export default express
}
