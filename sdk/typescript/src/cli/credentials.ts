import { CliError } from './exit-codes.ts'
import type { Globals } from './globals.ts'
import { loginOf, oauthForm } from './oauth.ts'
import { changeLogins, type Login, readLogins } from './saved-logins.ts'

export const DEFAULT_URL = 'http://localhost:3000'
/** A token that ends sooner is renewed first. */
const LEAST_LEFT_MS = 60_000

/** The server that is meant: the given one, else that of the last login. */
export const addressOf = async ({ url }: Globals): Promise<string> => url ?? (await readLogins()).current ?? DEFAULT_URL

/** What to send as bearer token for data: the API key, else the token of the login. Throws CliError. */
export async function dataToken(globals: Globals): Promise<string> {
  return globals.apiKey?.value ?? loginToken(await addressOf(globals))
}

/** The token of the login at this server, renewed if it is about to end. Throws CliError. */
export async function loginToken(url: string): Promise<string> {
  const login = (await readLogins()).logins[url]
  if (!login)
    throw new CliError(
      'notSignedIn',
      `You are not logged in at ${url}.`,
      'Run finmeter login, or set FINMETER_API_KEY for data, credits and usage.',
    )
  if (isFresh(login)) return login.accessToken
  return changeLogins(async ({ logins }) => {
    const known = logins[url] ?? login
    // Another process may have renewed it meanwhile.
    if (isFresh(known)) return known.accessToken
    const answer = await oauthForm(url, '/oauth/token', {
      grant_type: 'refresh_token',
      refresh_token: known.refreshToken,
    })
    const renewed = loginOf(answer)
    logins[url] = renewed
    return renewed.accessToken
  })
}

const isFresh = ({ expiresAtMs }: Login): boolean => expiresAtMs - Date.now() > LEAST_LEFT_MS
