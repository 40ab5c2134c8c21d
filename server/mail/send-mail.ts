import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import type { Database, Queryable } from '../db/database.ts'
import type { Listener } from '../db/listen.ts'
import type { ShopAccess } from '../features/shop/serve-shop.ts'
import type { Secrets } from '../secrets/secrets.ts'
import { startDelivery } from './deliver.ts'
import type { Mail } from './mail.ts'
import { type MailSubject, OUTBOX_CHANNEL, queueMail } from './queue-mail.ts'
import { type MailContent, writeMail } from './write-mail.ts'

/** One email before it is written in the shop's name. */
export type Letter = Pick<Mail, 'to' | 'subject'> & MailContent & MailSubject

/** Outgoing mail of the whole product; `deps.mail`. */
export interface Mailer {
  /** False if this installation has no mail server; `send` then throws. */
  enabled: boolean
  /** What mails call the installation. */
  shopName: () => string
  /**
   * Adds an email to the outbox in the caller's transaction. It is sent after the commit, and retried for 24 hours.
   * Throws ZodError for an invalid address.
   */
  send: (db: Queryable, letter: Letter) => Promise<void>
  close: () => Promise<void>
}

interface MailerParts {
  config: Pick<Config, 'SMTP_URL' | 'PUBLIC_URL'>
  shop: Pick<ShopAccess, 'current'>
  /** The sandbox's mail server, if it runs. */
  sandboxSmtpUrl: string | null
  db: Database
  listener: Listener
  secrets: Secrets
  log: Logger
}

/** The mailer for SMTP_URL, else for the sandbox's mail server, else one without a server. */
export function createMailer({ config, shop, sandboxSmtpUrl, db, listener, secrets, log }: MailerParts): Mailer {
  const shopName = () => shop.current().name
  const smtpUrl = config.SMTP_URL ?? sandboxSmtpUrl
  if (!smtpUrl) {
    const send = async () => {
      throw new Error('This installation has no mail server: set SMTP_URL.')
    }
    return { enabled: false, shopName, send, close: async () => {} }
  }
  const delivery = startDelivery({ smtpUrl, sender: () => shop.current().sender, db, secrets, log })
  listener.on(OUTBOX_CHANNEL, () => delivery.wake())
  return {
    enabled: true,
    shopName,
    async send(tx, { to, subject, kind, ref, ...content }) {
      const brand = { ...shop.current(), publicUrl: config.PUBLIC_URL }
      const mail = { to, subject, from: brand.sender, ...writeMail(content, brand) }
      await queueMail(tx, secrets, mail, { kind, ...(ref !== undefined && { ref }) })
    },
    close: () => delivery.close(),
  }
}
