import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { createMailbox, type Mailbox } from './mailbox.ts'

export interface SandboxMail {
  /** The address of the mail server. */
  smtpUrl: string
  mailbox: Mailbox
  close: () => Promise<void>
}

/**
 * A mail server (SMTP) on a free port of this machine that delivers nothing: all mail goes into one mailbox.
 * Refuses recipients at `refused.example` permanently and at `busy.example` temporarily, as real servers do.
 */
export async function startSandboxMail(): Promise<SandboxMail> {
  const mailbox = createMailbox()
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    size: 2 * 1024 * 1024,
    onRcptTo({ address }, _session, done) {
      if (/@refused\.example$/i.test(address)) return done(smtpError(550, 'No such user here'))
      if (/@busy\.example$/i.test(address)) return done(smtpError(451, 'Try again later'))
      return done()
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        mailbox.add(
          Buffer.concat(chunks),
          session.envelope.rcptTo.map(({ address }) => address),
        )
        done()
      })
    },
  })
  // A client may disconnect in the middle of a message.
  server.on('error', () => {})
  await new Promise<void>((done, failed) => {
    server.server.once('error', failed)
    server.listen(0, '127.0.0.1', done)
  })
  const { port } = server.server.address() as AddressInfo
  return {
    smtpUrl: `smtp://127.0.0.1:${port}`,
    mailbox,
    close: () => new Promise((done) => server.close(() => done())),
  }
}

const smtpError = (responseCode: number, text: string): Error => Object.assign(new Error(text), { responseCode })
