import type { FastifyInstance } from 'fastify'
import type { Mailbox, ReceivedMail } from './mailbox.ts'
import { sendMailboxPage, sendMailPage } from './pages.ts'

const LOOPBACK = /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/
const LOOPBACK_HOST = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/

/** The mailbox at /sandbox/mail, for browsers, and /sandbox/mail/messages?to= for scripts. Answers only this machine. */
export async function registerSandboxMail(
  app: FastifyInstance,
  {
    mailbox,
    publicUrl,
    appName = () => 'the application',
  }: { mailbox: Mailbox; publicUrl: string; appName?: () => string },
): Promise<void> {
  const publicHost = new URL(publicUrl).host
  await app.register(
    async (scope) => {
      scope.addHook('onRequest', async (request, reply) => {
        const host = request.headers.host ?? ''
        // DNS rebinding: another site whose name resolves to this machine must not read the mailbox.
        const known = host === publicHost || LOOPBACK_HOST.test(host)
        if (!known || !LOOPBACK.test(request.socket.remoteAddress ?? ''))
          return reply.code(403).type('text/plain').send('The sandbox answers only this machine.')
      })
      scope.get<{ Querystring: { to?: string } }>('/', (request, reply) =>
        sendMailboxPage(reply, appName(), mailbox.list(asText(request.query.to)), asText(request.query.to) ?? ''),
      )
      scope.get<{ Querystring: { to?: string } }>('/messages', async (request, reply) => {
        reply.header('cache-control', 'no-store')
        return { messages: mailbox.list(asText(request.query.to)).map(toJson) }
      })
      scope.get<{ Params: { id: string } }>('/:id', (request, reply) =>
        sendMailPage(reply, mailbox.find(request.params.id)),
      )
    },
    { prefix: '/sandbox/mail' },
  )
}

const asText = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

const toJson = ({ receivedAt, ...mail }: ReceivedMail) => ({ ...mail, receivedAt: receivedAt.toISOString() })
