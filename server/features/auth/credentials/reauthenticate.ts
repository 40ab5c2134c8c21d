import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { noteSecurityEvent } from '../audit.ts'
import { countCodeRequest } from '../codes/request-code.ts'
import { mailCode } from '../codes/send-code.ts'
import { keepTextedCode, textCode } from '../codes/send-phone-code.ts'
import type { AuthDeps } from '../deps.ts'
import { AuthError, invalid } from '../errors.ts'
import { currentUser } from '../sessions/current-user.ts'
import { lockUser } from '../users/find-user.ts'

/** GET /reauthenticate: sends the code that PUT /user takes as `nonce`. */
export function registerReauthenticate(scope: FastifyInstance, deps: AuthDeps): void {
  scope.get('/reauthenticate', async (request) => {
    const { userId } = await currentUser(deps, request)
    const { email, phone, email_confirmed_at, phone_confirmed_at } = await lockUser(deps.db.kysely, userId)
    if (!email && !phone) throw invalid('Reauthentication requires the user to have an email or a phone number')
    if (email && !email_confirmed_at) throw new AuthError(422, 'email_not_confirmed', 'Please verify your email first.')
    if (!email && !phone_confirmed_at)
      throw new AuthError(422, 'phone_not_confirmed', 'Please verify your phone first.')
    await countCodeRequest(deps, email ? 'email' : 'sms', 'reauthentication', email ?? phone!, request.ip)
    const texted = email ? null : await textCode(deps, phone!)
    await deps.db.kysely.transaction().execute(async (tx) => {
      const token = { userId, purpose: 'reauthentication', relatesTo: email ?? phone!, method: 'otp' } as const
      await tx
        .updateTable('auth.users')
        .set({ reauthentication_sent_at: sql`app_now()` })
        .where('id', '=', userId)
        .execute()
      if (texted) return keepTextedCode(tx, deps, token, texted)
      await noteSecurityEvent(tx, userId, 'auth.code_sent', 'reauthentication')
      await mailCode(tx, deps, { ...token, kind: 'reauthenticate', verifyType: 'reauthentication', redirectTo: '' })
    })
    return texted?.answer ?? {}
  })
}
