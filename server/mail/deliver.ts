import { sql } from 'kysely'
import nodemailer from 'nodemailer'
import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import type { Secrets } from '../secrets/secrets.ts'
import { MAIL_PURPOSE, mailSchema } from './mail.ts'

interface DeliveryParts {
  smtpUrl: string
  /** Of mails that an earlier release queued. */
  sender: () => { name: string; address: string }
  db: Database
  secrets: Secrets
  log: Logger
}

export interface Delivery {
  /** Checks the outbox now. */
  wake: () => void
  /** Waits for deliveries in progress. */
  close: () => Promise<void>
}

const POLL_MS = 15_000
const AT_ONCE = 5
/** Longer than any attempt, so that only one instance tries an email at a time. */
const LEASE = '2 minutes'
const TIMEOUT_MS = 10_000

/** Sends the emails in the outbox, from any number of instances, each email by one of them. */
export function startDelivery({ smtpUrl, sender, db, secrets, log }: DeliveryParts): Delivery {
  const transport = nodemailer.createTransport({
    url: smtpUrl,
    pool: true,
    maxConnections: AT_ONCE,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    // The email's text is trusted, but nothing in it may make the library read a file or URL.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  let running: Promise<void> | null = null
  let again = false
  let closed = false

  const drain = async (): Promise<void> => {
    do {
      again = false
      for (;;) {
        const due = closed ? [] : await claim(db)
        if (due.length === 0) break
        await Promise.all(due.map(deliver))
      }
    } while (again)
  }

  const wake = (): void => {
    again = true
    if (closed || running) return
    running = drain()
      .catch((error: Error) => log.warn({ error: error.message }, 'could not read the mail outbox'))
      .finally(() => {
        running = null
      })
  }

  async function deliver({ id, message, attempts }: Claimed): Promise<void> {
    try {
      const { to, from = sender(), ...mail } = mailSchema.parse(JSON.parse(secrets.decrypt(MAIL_PURPOSE, message, id)))
      await transport.sendMail({
        ...mail,
        from,
        to: { name: '', address: to },
        messageId: `<${id}@${from.address.split('@').at(-1)}>`,
      })
      await end(db, id, { state: 'sent', attempts, error: null })
    } catch (error) {
      const refused = isRefused(error)
      // The error's text may quote the address, so only its kind is logged.
      const kind = kindOf(error)
      log.warn({ mail: id, attempts, kind, refused }, 'could not send a mail')
      if (refused) await end(db, id, { state: 'failed', attempts, error: kind })
      else await postpone(db, id, attempts, kind)
    }
  }

  const poll = setInterval(wake, POLL_MS)
  poll.unref()
  return {
    wake,
    async close() {
      closed = true
      clearInterval(poll)
      await running
      transport.close()
    },
  }
}

interface Claimed {
  id: string
  message: Buffer
  attempts: number
}

function claim(db: Database): Promise<Claimed[]> {
  return db.kysely
    .with('expired', (cte) =>
      cte.deleteFrom('mail_outbox').where('expires_at', '<=', sql<Date>`app_now()`).returning('id'),
    )
    .with('given_up', (cte) =>
      cte
        .updateTable('mail_log')
        .set({ state: 'failed' })
        .where('id', 'in', (where) => where.selectFrom('expired').select('id')),
    )
    .with('due', (cte) =>
      cte
        .selectFrom('mail_outbox')
        .select('id')
        .where('next_attempt_at', '<=', sql<Date>`app_now()`)
        .where('expires_at', '>', sql<Date>`app_now()`)
        .orderBy('next_attempt_at')
        .limit(AT_ONCE)
        .forUpdate()
        .skipLocked(),
    )
    .updateTable('mail_outbox')
    .set((set) => ({
      attempts: set('attempts', '+', 1),
      next_attempt_at: sql<Date>`app_now() + ${LEASE}::interval`,
    }))
    .where('id', 'in', (where) => where.selectFrom('due').select('id'))
    .returning(['id', 'message', 'attempts'])
    .execute()
}

/** Takes an email out of the outbox, and notes for the operator how it ended. */
async function end(
  db: Database,
  id: string,
  ending: { state: 'sent' | 'failed'; attempts: number; error: string | null },
): Promise<void> {
  await db.kysely
    .with('gone', (cte) => cte.deleteFrom('mail_outbox').where('id', '=', id))
    .updateTable('mail_log')
    .set(ending)
    .where('id', '=', id)
    .execute()
}

/** 4, 8, 16 seconds ... up to an hour. */
async function postpone(db: Database, id: string, attempts: number, error: string): Promise<void> {
  const seconds = Math.min(3600, 2 ** (attempts + 1))
  await db.kysely.updateTable('mail_log').set({ attempts, error }).where('id', '=', id).execute()
  await db.kysely
    .updateTable('mail_outbox')
    .set({ next_attempt_at: sql`app_now() + make_interval(secs => ${seconds})` })
    .where('id', '=', id)
    .execute()
}

/** 5xx is permanent, except for temporary login failures. */
function isRefused(error: unknown): boolean {
  const { responseCode, code } = error as { responseCode?: number; code?: string }
  return code !== 'EAUTH' && responseCode !== undefined && responseCode >= 500
}

function kindOf(error: unknown): string {
  const { code, responseCode, name } = error as { code?: string; responseCode?: number; name?: string }
  return [code ?? name, responseCode].filter(Boolean).join(' ')
}
