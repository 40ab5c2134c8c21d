import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { emailOff, readEmail } from '../address.ts'
import { readChallenge } from '../challenge.ts'
import { countCodeRequest } from '../codes/request-code.ts'
import { sendConfirmation, sendRecovery } from '../codes/send-confirmation.ts'
import type { AuthDeps } from '../deps.ts'
import { invalid } from '../errors.ts'
import { redirectTarget } from '../redirects/redirect-target.ts'
import { jsonBody, optional } from '../request-input.ts'
import { findByAddress } from '../users/find-user.ts'

const body = z.object({
  email: optional(z.string()),
  code_challenge: optional(z.string()),
  code_challenge_method: optional(z.string()),
})

/** POST /recover: a code and link to set a new password. The same answer whether or not anybody has the address. */
export function registerRecover(scope: FastifyInstance, deps: AuthDeps): void {
  scope.post('/recover', async (request) => {
    const given = jsonBody(request, body)
    if (!given.email) throw invalid('Password recovery requires an email')
    const email = readEmail(given.email)
    const challenge = readChallenge(given.code_challenge, given.code_challenge_method)
    if (!deps.emailEnabled) throw emailOff(422, 'Email logins are disabled')
    await countCodeRequest(deps, 'email', 'recovery', email)
    const redirectTo = redirectTarget(deps, request)
    await deps.db.kysely.transaction().execute(async (tx) => {
      const known = await findByAddress(tx, 'email', email)
      if (!known) return
      const target = { userId: known.id, email, redirectTo, challenge }
      if (known.email_confirmed_at) await sendRecovery(tx, deps, 'recovery', target)
      else await sendConfirmation(tx, deps, target, true)
    })
    return {}
  })
}
