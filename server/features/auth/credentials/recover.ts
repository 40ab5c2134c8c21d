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
import { createUser } from '../users/create-user.ts'
import { findByAddress, lockAddress } from '../users/find-user.ts'
import { pretend } from '../users/pretend.ts'

const body = z.object({
  email: optional(z.string()),
  code_challenge: optional(z.string()),
  code_challenge_method: optional(z.string()),
})

/** POST /recover: a code and link that sign in. The same answer and work for unknown addresses. */
export function registerRecover(scope: FastifyInstance, deps: AuthDeps): void {
  scope.post('/recover', async (request) => {
    const given = jsonBody(request, body)
    if (!given.email) throw invalid('Password recovery requires an email')
    const email = readEmail(given.email)
    const challenge = readChallenge(given.code_challenge, given.code_challenge_method)
    if (!deps.emailEnabled) throw emailOff(422, 'Email logins are disabled')
    await countCodeRequest(deps, 'email', 'recovery', email, request.ip)
    const redirectTo = redirectTarget(deps, request)
    await deps.db.kysely.transaction().execute(async (tx) => {
      await lockAddress(tx, 'email', email)
      const known = await findByAddress(tx, 'email', email)
      const send = (userId: string) => sendRecovery(tx, deps, 'recovery', { userId, email, redirectTo, challenge })
      if (!known) await pretend(tx, async () => send(await createUser(tx, { email, userMetadata: {} })))
      else if (known.email_confirmed_at) await send(known.id)
      else await sendConfirmation(tx, deps, { userId: known.id, email, redirectTo, challenge }, true)
    })
    return {}
  })
}
