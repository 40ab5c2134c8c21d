import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Config } from '../../config.ts'
import type { Queryable } from '../../db/database.ts'
import type { Mailer } from '../../mail/send-mail.ts'
import type { StripeAccess } from './stripe/client.ts'

/** What every apply function gets: one transaction in which everything happens or nothing does. */
export interface Applying {
  tx: Queryable
  stripe: StripeAccess
  log: Logger
  mail: Mailer
  config: Pick<Config, 'PUBLIC_URL'>
  /** Called between two effects; tests end the work here, as a crash would. */
  step?: (name: string) => void
}

/** Lets one at a time apply what belongs to a customer. Take it before reading at Stripe: then nothing older can win. */
export async function lockCustomer(tx: Queryable, customerId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${customerId}, 0))`.execute(tx)
}

/** The account that a customer stands for; null: a customer that this installation did not make. */
export async function accountOfCustomer(tx: Queryable, customerId: string): Promise<number | null> {
  const row = await tx
    .selectFrom('billing_customers')
    .select('account_id')
    .where('id', '=', customerId)
    .executeTakeFirst()
  return row?.account_id ?? null
}
