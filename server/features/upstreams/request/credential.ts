import { settings } from '../../../config.ts'
import { AppError } from '../../../http/errors.ts'
import type { Auth, OAuth } from '../manifest.ts'
import { storedName } from '../secrets/stored-secrets.ts'
import type { UpstreamRequest } from './build-request.ts'

/** The operator's credential for an upstream, ready to be sent to it and to nobody else. */
export interface Credential {
  /** Throws invalid_parameter for a request that names the credential's place itself. */
  addTo: (request: UpstreamRequest) => UpstreamRequest
  /** Its texts, in each form that an answer could repeat. */
  texts: string[]
}

/** Below this length, chance would find it in any answer. */
const LEAST_LOOKED_FOR = 6

/** The secret that a manifest names: an environment variable, or `stored:` and a name in the secret store; null: none. */
export const secretName = (auth: Auth | OAuth | undefined): string | null => {
  if (!auth) return null
  if ('bearer' in auth) return auth.bearer
  if ('oauth' in auth) return auth.oauth.secret
  return 'basic' in auth ? auth.basic.secret : auth.secret
}

/** Why the secret cannot be used; null: it can. `env` is made by `credentialEnv`. Our own settings are no credentials of others. */
export function secretProblem(name: string | null, env: NodeJS.ProcessEnv): string | null {
  if (name === null) return null
  if (name in settings) return `${name} is a setting of Finmeter itself and is sent to nobody.`
  const value = env[name]
  const stored = storedName(name)
  if (stored !== null)
    return value ? null : `The secret store has no ${stored}. Set it with: npm run upstream -- secret set ${stored}`
  if (value === undefined || value === '') return `The environment variable ${name} is not set.`
  return /^[\x20-\x7E]+$/.test(value)
    ? null
    : `The environment variable ${name} has characters that no header can have.`
}

/** The value of the variable. Throws an Error when it cannot be used. */
export function readSecret(name: string, env: NodeJS.ProcessEnv): string {
  const problem = secretProblem(name, env)
  if (problem) throw new Error(problem)
  return env[name]!
}

/** A credential in one header. `secrets`: what it is made of. */
export const headerCredential = (header: string, value: string, secrets: string[]): Credential => ({
  addTo: (request) => ({ ...request, headers: { ...request.headers, [header.toLowerCase()]: value } }),
  texts: [...secrets, value.replace(/^\w+ /, '')].flatMap(formsOf).filter(isLookedFor),
})

/** Throws an Error when the variable cannot be used. */
export function readCredential(auth: Auth | undefined, env: NodeJS.ProcessEnv): Credential {
  if (!auth) return { addTo: (request) => request, texts: [] }
  const secret = readSecret(secretName(auth)!, env)
  const withHeader = (header: string, value: string): Credential => headerCredential(header, value, [secret])
  if ('header' in auth) return withHeader(auth.header, auth.prefix + secret)
  if ('bearer' in auth) return withHeader('authorization', `Bearer ${secret}`)
  if ('basic' in auth)
    return withHeader('authorization', `Basic ${Buffer.from(`${auth.basic.user}:${secret}`).toString('base64')}`)
  const pair = `${encodeURIComponent(auth.query)}=${encodeURIComponent(secret)}`
  return {
    addTo(request) {
      if (names(request.path, auth.query))
        throw new AppError('invalid_parameter', `No parameter of this API may be called ${auth.query}.`)
      return { ...request, path: request.path + (request.path.includes('?') ? '&' : '?') + pair }
    },
    texts: formsOf(secret).filter(isLookedFor),
  }
}

/** An object that is written as several parameters can have any names. Some servers read `key[]` and `KEY` as `key`. */
const names = (path: string, parameter: string): boolean => {
  const bare = (name: string) => name.toLowerCase().replace(/\[.*$/s, '')
  const query = path.slice(path.indexOf('?') + 1)
  return path.includes('?') && [...new URLSearchParams(query).keys()].some((name) => bare(name) === bare(parameter))
}

/** A text as servers write it in addresses, JSON (as most do, and as PHP, Go and .NET do) and HTML. */
function formsOf(text: string): string[] {
  const json = JSON.stringify(text).slice(1, -1)
  const coded = (marks: RegExp, from: string) =>
    from.replaceAll(marks, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}`)
  const html = text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
  return [
    text,
    encodeURIComponent(text),
    json,
    json.replaceAll('/', '\\/'),
    coded(/[<>&]/g, json).replaceAll(/\\u003[CE]/g, (code) => code.toLowerCase()),
    coded(/[<>&+'"`]/g, text.replaceAll('\\', '\\\\')),
    html,
  ]
}

const isLookedFor = (text: string, index: number, all: string[]): boolean =>
  text.length >= LEAST_LOOKED_FOR && all.indexOf(text) === index
