import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Config } from '../../../config/config.ts'
import type { Queryable } from '../../../db/database.ts'
import type { Mailer } from '../../../mail/send-mail.ts'
import type { Secrets } from '../../../secrets/secrets.ts'
import { needLease } from '../lease/ask-between.ts'
import { leaseOfCharge, leaseOfCustomer } from '../lease/take-lease.ts'
import type { StripeAccess } from '../stripe/client.ts'

/** Passed to every apply function. All of its effects happen in one transaction. */
export interface EventContext {
  tx: Queryable
  stripe: StripeAccess
  log: Logger
  mail: Mailer
  secrets: Secrets
  config: Pick<Config, 'PUBLIC_URL' | 'KEYS_REVEAL'>
  /** Called between two effects. Tests stop here, as a crash would. */
  step?: (name: string) => void
}

/**
 * Everything that copies the state of one customer from Stripe comes after this: the lease keeps older state from overwriting newer.
 * The lock holds off servers of release 0.2.0, which know no lease.
 */
export async function lockCustomer(tx: Queryable, customerId: string): Promise<void> {
  await needLease(leaseOfCustomer(customerId))
  await lock(tx, customerId)
}

/** The same for the refunds of one charge. Events of refunds name no customer. */
export async function lockCharge(tx: Queryable, chargeId: string): Promise<void> {
  await needLease(leaseOfCharge(chargeId))
  await lock(tx, chargeId)
}

const lock = (tx: Queryable, id: string) => sql`select pg_advisory_xact_lock(hashtextextended(${id}, 0))`.execute(tx)

/** The customer's account; null: a customer that this installation did not create. */
export async function accountOfCustomer(tx: Queryable, customerId: string): Promise<number | null> {
  const row = await tx
    .selectFrom('billing_customers')
    .select('account_id')
    .where('id', '=', customerId)
    .executeTakeFirst()
  return row?.account_id ?? null
}
