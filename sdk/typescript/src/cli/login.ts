import { setTimeout as sleep } from 'node:timers/promises'
import type { Call } from './command.ts'
import { addressOf } from './credentials.ts'
import { CliError } from './exit-codes.ts'
import { DEVICE_GRANT, loginOf, type OauthAnswer, oauthForm } from './oauth.ts'
import { note, printFacts, printJson } from './print.ts'
import { request } from './request.ts'
import { changeLogins, loginsFile } from './saved-logins.ts'
import { readPerson } from './whoami.ts'

const SCOPE = 'data:read account:read keys:write'

/** Device authorization (RFC 8628): shows a code, and waits until a person has approved it in a browser. */
export async function login({ globals }: Call): Promise<void> {
  const url = await addressOf(globals)
  const begun = await oauthForm(url, '/oauth/device_authorization', { scope: SCOPE })
  const { device_code, user_code, verification_uri, verification_uri_complete, interval } = begun.body
  if (begun.status !== 200 || typeof device_code !== 'string')
    throw new CliError('unavailable', String(begun.body.error_description ?? `${url} does not offer device login.`))
  note(`Open ${verification_uri} and enter the code ${user_code}`)
  note(`or open ${verification_uri_complete} and compare the code.\nWaiting ...`)
  const saved = loginOf(await answered(url, device_code, Number(interval ?? 5)))
  const old = await changeLogins((all) => {
    const before = all.logins[url]
    all.logins[url] = saved
    all.current = url
    return before
  })
  if (old) await oauthForm(url, '/oauth/revoke', { token: old.refreshToken }).catch(() => undefined)
  const person = await readPerson(url, saved.accessToken)
  note(`The login is stored in ${loginsFile()}.`)
  if (globals.json) printJson(person)
  else printFacts(person)
}

async function answered(url: string, device_code: string, seconds: number): Promise<OauthAnswer> {
  for (let interval = seconds; ; ) {
    await sleep(interval * 1000)
    const answer = await oauthForm(url, '/oauth/token', { grant_type: DEVICE_GRANT, device_code })
    const { error, error_description } = answer.body
    if (error === 'slow_down') interval += 5
    else if (error === 'access_denied') throw new CliError('forbidden', String(error_description), undefined, error)
    else if (error === 'expired_token')
      throw new CliError('notSignedIn', String(error_description), 'Run finmeter login again.', error)
    else if (error !== 'authorization_pending') return answer
  }
}

/** Ends the connection at the server and forgets its tokens. */
export async function logout({ globals }: Call): Promise<void> {
  const url = await addressOf(globals)
  const old = await changeLogins((all) => {
    const before = all.logins[url]
    delete all.logins[url]
    if (all.current === url) all.current = null
    return before
  })
  if (old) {
    const body = new URLSearchParams({ token: old.refreshToken })
    const revoked = await request(`${url}/oauth/revoke`, { method: 'POST', body }).catch(() => null)
    if (!revoked?.ok)
      throw new CliError(
        'unavailable',
        `You are logged out here, but the token could not be revoked at ${url}.`,
        'Delete the key "Finmeter command line (connected app)" in the dashboard.',
      )
  }
  if (globals.json) printJson({ url, loggedOut: old !== undefined })
  else note(old ? `Logged out at ${url}.` : `You were not logged in at ${url}.`)
}
