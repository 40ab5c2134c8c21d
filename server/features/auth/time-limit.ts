import type { FastifyInstance } from 'fastify'
import { AuthError } from './errors.ts'

/** A lock that somebody else holds, or a provider that does not end its answer, must not hold a client for ever. */
const LIMIT_MS = 10_000

/**
 * Answers 504 in place of every handler of `scope` that is late; what it began goes on to its own end. Fastify's own
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
