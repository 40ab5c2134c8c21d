import type { FastifyInstance, FastifyReply } from 'fastify'
import { sendPlainPage } from '../../../http/plain-page.ts'
import type { AuthDeps } from '../deps.ts'
import { formBody, query } from '../request-input.ts'
import { CannotUndo, findUndo, undoChange } from './undo.ts'

const questions: Record<string, { title: string; about: string; button: string }> = {
  identity_linked: {
    title: 'Disconnect the account?',
    about: 'The account that was connected can then no longer sign in. Every session is signed out.',
    button: 'Disconnect it',
  },
  identity_unlinked: {
    title: 'Connect the account again?',
    about: 'The account that was disconnected can then sign in again. Every session is signed out.',
    button: 'Connect it again',
  },
  factor_removed: {
    title: 'Restore the second factor?',
    about: 'Signing in then asks for its code again. Every session is signed out.',
    button: 'Restore it',
  },
}

/** GET /undo asks, POST /undo acts: mail scanners open links, and must not use them up. */
export function registerUndo(scope: FastifyInstance, deps: AuthDeps): void {
  const name = () => deps.shop.current().name
  scope.get('/undo', async (request, reply) => {
    const token = query(request).get('token') ?? ''
    const found = await findUndo(deps.db.kysely, token)
    if (!found) return sendGone(reply, name())
    const { title, about, button } = questions[found.change]!
    return sendPlainPage(reply, name(), { title, about, form: { action: '/auth/v1/undo', fields: { token }, button } })
  })

  scope.post('/undo', async (request, reply) => {
    const token = formBody(request).get('token') ?? ''
    try {
      const done = await deps.db.kysely.transaction().execute((tx) => undoChange(tx, token))
      if (!done) return sendGone(reply, name())
    } catch (error) {
      if (error instanceof CannotUndo)
        return sendPlainPage(reply.code(409), name(), { title: 'This cannot be undone now', about: error.message })
      throw error
    }
    return sendPlainPage(reply, name(), {
      title: 'Undone',
      about: 'Every session is signed out. Sign in again, and check your connected accounts in Settings.',
    })
  })
}

const sendGone = (reply: FastifyReply, shop: string): FastifyReply =>
  sendPlainPage(reply.code(410), shop, {
    title: 'This link does not work anymore',
    about: 'It was used before, or is older than 72 hours.',
  })
