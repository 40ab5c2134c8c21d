import type { FastifyInstance } from 'fastify'
import { AppError } from './errors.ts'
import { refuseDeepJson } from './json-depth.ts'

/** Parses JSON bodies. An empty body with a JSON content type counts as no body: browser clients send that on DELETE and logout. */
export function registerJsonParser(app: FastifyInstance): void {
  // Fastify reads text/plain by default. No route takes it, and 415 is clearer than "must be an object".
  app.removeContentTypeParser(['application/json', 'text/plain'])
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    const text = body.toString()
    if (text.trim() === '') return done(null, undefined)
    try {
      done(null, parseJson(text))
    } catch (error) {
      done(error instanceof AppError ? error : new AppError('bad_json'), undefined)
    }
  })
}

const escaped = (letter: string) => `(?:${letter}|\\\\u00${letter.charCodeAt(0).toString(16).replace('f', '[fF]')})`
const PROTO_KEY = new RegExp(`"${[...'__proto__'].map(escaped).join('')}"\\s*:`)

/**
 * JSON.parse that refuses the key `__proto__`, in any spelling: a copy of such an object would get another prototype.
 * The text is scanned, which costs the same for every body; a reviver would call us once for every value. Throws
 * SyntaxError, and bad_json for more than 100 levels.
 */
export function parseJson(text: string): unknown {
  refuseDeepJson(text)
  const value: unknown = JSON.parse(text)
  if (PROTO_KEY.test(text)) throw new SyntaxError('the key __proto__ is not allowed')
  return value
}
