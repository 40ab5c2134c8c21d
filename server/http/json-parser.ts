import type { FastifyInstance } from 'fastify'
import { AppError } from './errors.ts'

/** JSON bodies; an empty body with a JSON content type is no body (browsers' clients send that on DELETE and logout). */
export function registerJsonParser(app: FastifyInstance): void {
  // Fastify reads text/plain by default; nothing here takes it, and 415 says so better than a body that is no object.
  app.removeContentTypeParser(['application/json', 'text/plain'])
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    const text = body.toString()
    if (text.trim() === '') return done(null, undefined)
    try {
      done(null, parseSafely(text))
    } catch {
      done(new AppError('bad_json'), undefined)
    }
  })
}

/** JSON.parse without the keys that could reach an object's prototype. */
function parseSafely(text: string): unknown {
  if (!/__proto__|constructor/.test(text)) return JSON.parse(text)
  return JSON.parse(text, (key, value) => (key === '__proto__' || key === 'constructor' ? undefined : value))
}
