import type { FastifyInstance } from 'fastify'
import { AuthError } from './errors.ts'

/** A lock held by another request, or a provider that never finishes its response, must not block a client forever. */
const LIMIT_MS = 10_000

/**
 * Answers 504 if a handler of `scope` is late. The handler still runs to its end. Fastify's own
 * limit forgets a request as soon as its body is read.
 */
export function limitTime(scope: FastifyInstance): void {
  scope.addHook('onRoute', (route) => {
    const { handler } = route
    route.handler = function (request, reply) {
      const answer: unknown = handler.call(this, request, reply)
      return answer instanceof Promise ? inTime(answer) : answer
    }
  })
}

async function inTime<T>(answer: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(tooLate()), LIMIT_MS)
  return Promise.race([answer, late.promise]).finally(() => clearTimeout(timer))
}

const tooLate = (): AuthError =>
  new AuthError(504, 'request_timeout', 'Processing this request timed out, please retry after a moment.')
