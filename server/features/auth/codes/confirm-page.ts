import type { FastifyReply } from 'fastify'
import { sendPlainPage } from '../../../http/plain-page.ts'

const titles: Record<string, string> = {
  signup: 'Confirm your email address',
  invite: 'Accept the invitation',
  email_change: 'Confirm your email address',
}

/** Asks for one click before an emailed link is used. */
export function sendConfirmPage(
  reply: FastifyReply,
  shop: string,
  { token, type, redirectTo }: { token: string; type: string; redirectTo: string },
): FastifyReply {
  return sendPlainPage(reply, shop, {
    title: titles[type] ?? 'Sign in',
    about: 'You opened a link from an email. Continue to use it. It works once.',
    form: { action: '/auth/v1/verify', fields: { token, type, redirect_to: redirectTo }, button: 'Continue' },
  })
}
