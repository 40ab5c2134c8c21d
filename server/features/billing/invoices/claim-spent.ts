import { sql } from 'kysely'
import { enterBucket } from '../../../db/buckets.ts'
import type { Deps } from '../../../deps.ts'
import { audit } from '../../account/audit.ts'
import { operator } from '../../account/operator.ts'
import { notifyManagers } from '../notify-managers.ts'

/**
 * Turns credits that were spent before their invoice was refunded into a debt: the next grants pay it first. Owners and
 * admins are notified. Returns how many credits were claimed now; a repeat claims none. Throws when nothing of this
 * invoice was refunded.
 */
export async function claimSpent(
  deps: Pick<Deps, 'db' | 'log' | 'mail' | 'config'>,
  invoiceId: string,
): Promise<number> {
  return deps.db.kysely.transaction().execute(async (tx) => {
    const found = await tx
      .selectFrom('reversals as r')
      .innerJoin('invoices as i', 'i.payment_intent_id', 'r.payment_intent_id')
      .select(['r.charge_id', 'r.account_id', 'r.spent', 'r.claimed', 'r.forgiven'])
      .where('i.id', '=', invoiceId)
      .forUpdate('r')
      .executeTakeFirst()
    if (!found) throw new Error(`No money of an invoice ${invoiceId} went back.`)
    const { charge_id: charge, account_id: accountId } = found
    const credits = found.spent - (found.claimed - found.forgiven)
    if (credits <= 0) return 0
    const claimed = found.claimed + credits
    await tx.updateTable('reversals').set({ claimed }).where('charge_id', '=', charge).execute()
    await enterBucket(tx, accountId)
    await sql`update credit_accounts set debt_credits = debt_credits + ${credits} where account_id = ${accountId}`.execute(
      tx,
    )
    await audit(tx, {
      accountId,
      actor: operator,
      action: 'credits.claimed',
      target: invoiceId,
      detail: { credits },
    })
    const amount = credits.toLocaleString('en-US')
    await notifyManagers(tx, deps, {
      accountId,
      kind: 'credits.claimed',
      ref: `${charge}:${claimed}`,
      subject: 'You owe credits from a refunded payment',
      content: {
        heading: `You owe ${amount} credits from a refunded payment`,
        paragraphs: [
          `A payment was refunded after ${amount} of its credits had been used. The next credits that you get pay for them first.`,
        ],
        action: { label: 'Open billing', url: `${deps.config.PUBLIC_URL}/dashboard/billing/` },
      },
    })
    return credits
  })
}
