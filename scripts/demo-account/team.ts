import type { DemoPerson } from './session.ts'
import { until } from './until.ts'

export const invite = (owner: DemoPerson, email: string, role: 'admin' | 'member') =>
  owner.api('POST', '/api/team/invitations', { email, role })

/** Follows the link in the invitation's email. */
export async function acceptInvitation(url: string, guest: DemoPerson): Promise<void> {
  let token: string | undefined
  await until('the invitation has arrived', async () => {
    const answer = await fetch(`${url}/sandbox/mail/messages?to=${encodeURIComponent(guest.email)}`)
    token = /\/invitation#([\w.-]+)/.exec(await answer.text())?.[1]
    return token !== undefined
  })
  await guest.api('POST', '/api/invitations/accept', { token })
}
