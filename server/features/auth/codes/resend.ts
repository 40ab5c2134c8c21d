import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Queryable } from '../../../db/database.ts'
import { emailOff, phoneOff, readAddress } from '../address.ts'
import { readChallenge } from '../challenge.ts'
import { sendEmailChange } from '../credentials/change-email.ts'
import type { AuthDeps } from '../deps.ts'
import { invalid } from '../errors.ts'
import { countMail } from '../limits.ts'
import { redirectTarget } from '../redirects/redirect-target.ts'
import { jsonBody, optional } from '../request-input.ts'
import { createUser } from '../users/create-user.ts'
import { findByAddress, lockAddress } from '../users/find-user.ts'
import { pretend } from '../users/pretend.ts'
import { countCodeRequest } from './request-code.ts'
import { sendConfirmation } from './send-confirmation.ts'
import { keepTextedCode, textCode } from './send-phone-code.ts'

const TYPES = { signup: 'email', email_change: 'email', sms: 'phone', phone_change: 'phone' } as const

const body = z.object({
  type: optional(z.string()),
  email: optional(z.string()),
  phone: optional(z.string()),
  code_challenge: optional(z.string()),
  code_challenge_method: optional(z.string()),
})

/** POST /resend: sends a pending code again. Any other address gets the same answer, and nothing is sent. */
export function registerResend(scope: FastifyInstance, deps: AuthDeps): void {
  scope.post('/resend', async (request) => {
    const given = jsonBody(request, body)
    if (!given.type || !Object.hasOwn(TYPES, given.type))
      throw invalid(`Missing one of these types: ${Object.keys(TYPES).join(', ')}`)
    const type = given.type as keyof typeof TYPES
    const target = readAddress(given, 'Only an email address or phone number should be provided')
    if (target.kind !== TYPES[type])
      throw invalid(
        TYPES[type] === 'email' ? 'Type provided requires an email' : 'Type provided requires a phone number',
      )
    if (target.kind === 'email' && !deps.emailEnabled) throw emailOff(422, 'Email logins are disabled')
    if (target.kind === 'phone' && !deps.sms) throw phoneOff(400, 'Unsupported phone provider')
    const challenge = readChallenge(given.code_challenge, given.code_challenge_method)
    const purpose = type === 'signup' ? 'confirmation' : type === 'sms' ? 'otp' : type
    await countCodeRequest(deps, target.kind === 'email' ? 'email' : 'sms', purpose, target.address, request.ip)
    // A change of address mails the old and the new one.
    if (type === 'email_change') await countMail(deps)
    const redirectTo = redirectTarget(deps, request)
    if (type === 'sms' || type === 'phone_change') return text(deps, type, target.address)
    await deps.db.kysely.transaction().execute((tx) => mail(tx, deps, type, target.address, { redirectTo, challenge }))
    return {}
  })
}

async function mail(
  tx: Queryable,
  deps: AuthDeps,
  type: 'signup' | 'email_change',
  email: string,
  link: { redirectTo: string; challenge: ReturnType<typeof readChallenge> },
): Promise<void> {
  await lockAddress(tx, 'email', email)
  const known = await findByAddress(tx, 'email', email)
  const send = (id: string, newEmail: string) =>
    type === 'email_change'
      ? sendEmailChange(tx, deps, { id, email }, newEmail, link)
      : sendConfirmation(tx, deps, { userId: id, email, ...link })
  const isPending = type === 'email_change' ? known?.new_email : known && !known.email_confirmed_at
  if (isPending) return send(known!.id, known!.new_email ?? email)
  await pretend(tx, async () => send(known?.id ?? (await createUser(tx, { email, userMetadata: {} })), email))
}

async function text(deps: AuthDeps, type: 'sms' | 'phone_change', phone: string): Promise<object> {
  const known = await findByAddress(deps.db.kysely, 'phone', phone)
  const [purpose, relatesTo] =
    type === 'sms'
      ? (['phone_confirmation', known?.phone_confirmed_at ? null : phone] as const)
      : (['phone_change', known?.new_phone] as const)
  if (!known || !relatesTo) return {}
  const texted = await textCode(deps, relatesTo)
  await deps.db.kysely
    .transaction()
    .execute((tx) => keepTextedCode(tx, deps, { userId: known.id, purpose, relatesTo, method: 'otp' }, texted))
  return texted.answer
}
