import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Queryable } from '../db/database.ts'
import type { Secrets } from '../secrets/secrets.ts'
import { MAIL_PURPOSE, type Mail, mailSchema } from './mail.ts'

/** Notifies every instance of an email in the outbox. */
export const OUTBOX_CHANNEL = 'mail_outbox'
const KEPT = '24 hours'

/** What the operator may know of an email: never its text. */
export interface MailSubject {
  /** Such as `invitation` or `invoice.failed`. */
  kind: string
  /** What it is about, for kinds that an operator can send again. */
  ref?: string
}

/** Adds an email to the outbox in the caller's transaction; servers send it after the commit. Throws ZodError for an invalid address. */
export async function queueMail(
  tx: Queryable,
  secrets: Secrets,
  mail: Mail,
  { kind, ref }: MailSubject,
): Promise<void> {
  const id = randomUUID()
  const message = secrets.encrypt(MAIL_PURPOSE, JSON.stringify(mailSchema.parse(mail)), id)
  const expires_at = sql<Date>`app_now() + ${KEPT}::interval`
  await tx.insertInto('mail_outbox').values({ id, message, expires_at }).execute()
  await tx
    .insertInto('mail_log')
    .values({ id, kind, ref: ref ?? null, recipient: mail.to.toLowerCase() })
    .execute()
  await sql`select pg_notify(${OUTBOX_CHANNEL}, '')`.execute(tx)
}
