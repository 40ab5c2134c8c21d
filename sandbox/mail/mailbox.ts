import { randomUUID } from 'node:crypto'
import { type MailPart, readMail } from './read-mail.ts'

/** An email as the sandbox received it. */
export interface ReceivedMail extends MailPart {
  id: string
  receivedAt: Date
  /** The envelope's recipients. */
  recipients: string[]
}

/** The most recent emails, newest first, in memory. */
export interface Mailbox {
  add: (raw: Buffer, recipients: string[]) => void
  /** All emails, or those to one address. */
  list: (to?: string) => ReceivedMail[]
  find: (id: string) => ReceivedMail | undefined
}

const MOST = 500

export function createMailbox(): Mailbox {
  const mails: ReceivedMail[] = []
  return {
    add(raw, recipients) {
      mails.unshift({
        ...readMail(raw),
        id: randomUUID(),
        receivedAt: new Date(),
        recipients: recipients.map((address) => address.toLowerCase()),
      })
      mails.length = Math.min(mails.length, MOST)
    },
    list: (to) => (to ? mails.filter(({ recipients }) => recipients.includes(to.toLowerCase())) : [...mails]),
    find: (id) => mails.find((mail) => mail.id === id),
  }
}
