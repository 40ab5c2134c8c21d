import { settings } from '../../../config/config.ts'
import type { Auth, OAuth } from '../manifest.ts'
import { storedName } from '../secrets/stored-secrets.ts'
import { createSecretSearch, type SecretSearch } from './secret-search.ts'

/** The operator's credential for an upstream, ready to be sent to it and to nobody else. */
export interface Credential {
  /** Sent with each request. */
  headers: Record<string, string>
  /** A parameter of the query instead of headers; null: none. */
  query: { name: string; pair: string } | null
  /** Finds it in what the upstream says. */
  secret: SecretSearch
}

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
  headers: { [header.toLowerCase()]: value },
  query: null,
  secret: createSecretSearch([...secrets, value.replace(/^\w+ /, '')]),
})

/** Throws an Error when the variable cannot be used. */
export function readCredential(auth: Auth | undefined, env: NodeJS.ProcessEnv): Credential {
  if (!auth) return { headers: {}, query: null, secret: createSecretSearch([]) }
  const secret = readSecret(secretName(auth)!, env)
  const withHeader = (header: string, value: string): Credential => headerCredential(header, value, [secret])
  if ('header' in auth) return withHeader(auth.header, auth.prefix + secret)
  if ('bearer' in auth) return withHeader('authorization', `Bearer ${secret}`)
  if ('basic' in auth)
    return withHeader('authorization', `Basic ${Buffer.from(`${auth.basic.user}:${secret}`).toString('base64')}`)
  const pair = `${encodeURIComponent(auth.query)}=${encodeURIComponent(secret)}`
  return {
    headers: {},
    query: { name: auth.query, pair },
    secret: createSecretSearch([secret]),
  }
}
